# When a container ends, the runtime kills what is left in its cgroup. Virtual machines outlive the Pod, so libvirtd starts
# them from the node's root cgroup; it then gives each a cgroup of its own below /machine.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  echo $$ > /sys/fs/cgroup/cgroup.procs
else
  for hierarchy in /sys/fs/cgroup/*/cgroup.procs; do echo $$ > "$hierarchy"; done
fi
{{- if or (include "kolla-pod.tls" .) .Values.settings.migrationTls }}
# kolla-init keeps QEMU's files, which libvirtd takes as its own. The directory is the node's, so that a QEMU that an older Pod
# started finds a renewed certificate too.
pki=/etc/pki/qemu
[ -e $pki/server-cert.pem ] || { echo "$pki/server-cert.pem is missing: create the Secret nova-libvirt-tls" >&2; exit 1; }
mkdir -p /etc/pki/CA /etc/pki/libvirt/private
ln -sf $pki/ca-cert.pem /etc/pki/CA/cacert.pem
for role in server client; do
  [ -e $pki/$role-cert.pem ] || ln -sf server-cert.pem $pki/$role-cert.pem
  [ -e $pki/$role-key.pem ] || ln -sf server-key.pem $pki/$role-key.pem
  ln -sf $pki/$role-cert.pem /etc/pki/libvirt/${role}cert.pem
  ln -sf $pki/$role-key.pem /etc/pki/libvirt/private/${role}key.pem
done
exec libvirtd --listen
{{- else }}
exec libvirtd
{{- end }}
