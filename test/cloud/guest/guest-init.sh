#!/bin/sh
# /init of the guest, which is the kernel and BusyBox: network by DHCP, metadata, servers, volumes. Each of its lines on
# the console starts with `guest:` and the seconds since the kernel's start.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts
mount -t devpts pts /dev/pts
exec < /dev/console > /dev/console 2>&1

cat > /bin/say <<'SAY'
#!/bin/sh
echo "guest: $(cut -d' ' -f1 /proc/uptime) $*" > /dev/console
SAY
chmod 755 /bin/say

say "init $(uname -r) $(nproc) cpu $(awk '/MemAvailable/{print $2}' /proc/meminfo) KiB available"
# A module fails before the ones that it needs are there. The switch is in user space, where partial checksums may fail.
for _ in 1 2 3; do
  for module in /lib/modules/*.ko; do
    case $module in *virtio_net*) options='csum=0 gso=0' ;; *) options= ;; esac
    [ ! -e "$module" ] || ! insmod "$module" $options 2> /dev/null || rm "$module"
  done
done
say "disks $(ls /sys/block | grep -E '^(vd|sr)' | tr '\n' ' ')"

cat > /etc/udhcpc.sh <<'DHCP'
#!/bin/sh
# The client's events. A renewal with the same settings changes nothing, so that connections stay.
event=$1
case $event in
  bound | renew) ;;
  leasefail) say 'no lease yet'; exit ;;
  deconfig) rm -f /tmp/lease; exit ;;
  *) exit ;;
esac
new="$ip/$mask router ${router:-none} routes ${staticroutes:-none} mtu ${mtu:-default} dns ${dns:-none} lease $lease"
if [ "$new" != "$(cat /tmp/lease 2> /dev/null)" ]; then
  ip addr flush dev "$interface"
  ip addr add "$ip/$mask" dev "$interface"
  [ -z "$mtu" ] || ip link set "$interface" mtu "$mtu"
  # Option 121 takes the place of option 3 where it is there, and has the route to the metadata.
  if [ -n "$staticroutes" ]; then
    set -- $staticroutes
    while [ $# -ge 2 ]; do
      ip route add "$1" via "$2" dev "$interface" 2> /dev/null || ip route add "$1" dev "$interface"
      shift 2
    done
  else
    for gateway in $router; do ip route add default via "$gateway"; done
  fi
  : > /etc/resolv.conf
  for server in $dns; do echo "nameserver $server" >> /etc/resolv.conf; done
  echo "$new" > /tmp/lease
fi
[ "$event" = bound ] || say "lease renewed $new"
DHCP
chmod 755 /etc/udhcpc.sh

ip link set lo up
tries=0
while [ ! -e /sys/class/net/eth0 ] && [ $tries -lt 50 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
ip link set eth0 up
say "eth0 $(cat /sys/class/net/eth0/address) mtu $(cat /sys/class/net/eth0/mtu)"
# It stays in the background, with a lease or without.
udhcpc -i eth0 -s /etc/udhcpc.sh -O staticroutes -O mtu -t 20 -T 1 -A 2 -b > /dev/null 2>&1
[ -e /tmp/lease ] && say "lease $(cat /tmp/lease)" || say 'no lease'

# BusyBox's static wget is of no use here; its nc is.
get() {
  printf 'GET /%s HTTP/1.0\r\nHost: 169.254.169.254\r\n\r\n' "$1" | nc -w 3 169.254.169.254 80 2> /dev/null |
    tr -d '\r' | sed -n '1{/ 200/!q1};1,/^$/!p'
}
tries=0
while [ $tries -lt 20 ]; do
  host=$(get latest/meta-data/hostname)
  [ -z "$host" ] || break
  tries=$((tries + 1))
  sleep 1
done
say "metadata hostname ${host:-none} instance $(get latest/meta-data/instance-id)"
user=$(get latest/user-data)
say "user-data ${user:-none}"
if [ -e /sys/block/sr0 ] && mount -o ro /dev/sr0 /mnt 2> /dev/null; then
  say "config drive sr0 $(ls /mnt | tr '\n' ' ')"
fi
[ -z "$host" ] || hostname "${host%%.*}"
host=${host:-$(hostname)}

echo "guest $host" > /www/index.html
httpd -p 80 -h /www
say 'httpd on 80'
nc -ll -p 7 -e /bin/cat &
say 'echo on 7'

# Volumes: a disk besides vda, from the start or attached later. The first one who sees it leaves its name on it.
look_at() {
  [ -b "/dev/$1" ] || sleep 0.5
  say "volume $1 appeared: $(($(cat "/sys/block/$1/size") / 2)) KiB"
  text=$(dd if="/dev/$1" bs=512 count=1 2> /dev/null | tr -d '\0' | tr -cd ' -~\n' | head -n 1)
  if [ -n "$text" ]; then
    say "volume $1 has $text"
  elif [ -n "$(dd if="/dev/$1" bs=512 count=1 2> /dev/null | tr -d '\0')" ]; then
    say "volume $1 has no text"
  else
    say "volume $1 has nothing"
    if echo "written by $host" | dd of="/dev/$1" conv=notrunc,fsync 2> /dev/null; then
      say "volume $1 now has written by $host"
    else
      say "volume $1 can't be written to"
    fi
  fi
}
volumes() {
  known=
  while :; do
    now=$(ls /sys/block | grep '^vd[b-z]$' | tr '\n' ' ')
    for disk in $now; do
      case " $known" in *" $disk "*) ;; *) look_at "$disk" ;; esac
    done
    for disk in $known; do
      case " $now" in *" $disk "*) ;; *) say "volume $disk removed" ;; esac
    done
    known=$now
    sleep 0.5
  done
}
volumes &

case $user in
  '#!'*)
    echo "$user" > /tmp/user
    chmod 755 /tmp/user
    /tmp/user
    say "user-data ran: $?"
    ;;
esac
say 'ready'

# Nova stops a guest by ACPI's button.
mkdir -p /etc/acpi/PWRF
printf '#!/bin/sh\nsay "power button"\nsync\npoweroff -f\n' > /etc/acpi/PWRF/00000080
chmod 755 /etc/acpi/PWRF/00000080
acpid -l /dev/null
while :; do
  setsid cttyhack sh
  sleep 1
done
