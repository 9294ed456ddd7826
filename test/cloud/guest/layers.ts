/**
 * What a compute node with real guests needs besides Debian's tree and OpenStack, as layers of images:
 *
 *   agentLayer()       above the release's tree: what Neutron's agents and nova-compute call, through sudo
 *   hypervisorLayer()  above Debian's tree: libvirtd and QEMU for x86
 *   switchLayer()      a whole tree: Open vSwitch of a newer Debian, whose tunnels in user space keep checksums
 *
 * Packages are unpacked, not installed, so what their maintainer scripts would do is done here or not needed. The
 * users are those of test/cluster/kolla-layout.ts.
 */
import { chmod, glob, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../../../tools/cache.ts';
import { unpackedPackages } from '../../../tools/debian.ts';
import { must } from '../../../tools/process.ts';
import { BASE_PACKAGES, trustDebiansAuthorities } from '../../cluster/keystone-image.ts';
import { debianTree, pythonOf, UNUSED_FILES } from '../trees/debian.ts';
import { VENV } from '../trees/environment.ts';
import { layerAbove } from './above.ts';
import { PAM, SUDOERS } from './sudo.ts';

/** Programs that Neutron's agents, os-vif, os-brick and Nova call; Kolla's images have the same. */
const AGENT_PACKAGES = [
  'conntrack',
  'dnsmasq-base',
  'dnsmasq-utils',
  'genisoimage',
  'haproxy',
  'ipset',
  'iptables',
  'iputils-arping',
  'iputils-ping',
  'keepalived',
  'kmod',
  'openvswitch-switch',
  'python3-libvirt',
  'radvd',
  'sudo',
];
const HYPERVISOR_PACKAGES = [
  'iproute2',
  'kmod',
  'libvirt-clients',
  'libvirt-daemon',
  'libvirt-daemon-driver-qemu',
  'openvswitch-switch',
  'qemu-block-extra',
  'qemu-system-x86',
];
const SWITCH_PACKAGES = [
  ...BASE_PACKAGES,
  'ca-certificates',
  'findutils',
  'iproute2',
  'libstdc++6',
  'openssl',
  'openvswitch-switch',
  'procps',
  'tzdata',
  'util-linux',
];
const SWITCH_SUITE = 'trixie';

/** For an installed or booted system: package tools, accounts, services, and data of programs that are not here. */
const UNUSED_ABOVE = [
  'etc/{adduser*,apparmor.d,apt,binfmt.d,cron.*,credstore*,debconf*,default,deluser*,dpkg,init,init.d,kernel,logrotate.d,network}',
  'etc/{pam.*,profile.d,rc?.d,rsyslog.d,security,selinux,sensors*,skel,ssh,sudoers,systemd,sysctl.d,tmpfiles.d,update-motd.d,xdg}',
  'usr/bin/{busctl,ch{age,fn,sh},deb*,dpkg*,expiry,gapplication,gdbus,gio*,gpasswd,gresource,gsettings,hostnamectl,journalctl}',
  'usr/bin/{kernel-install,localectl,loginctl,networkctl,newgrp,ovs-*dump,ovs-{docker,dpctl-top,flowviz,pcap,pki,vlan-test}}',
  'usr/bin/{ovs-parse-backtrace,run0,select-editor,sensible-*,systemctl,systemd-*,timedatectl,varlinkctl}',
  'usr/lib/{dpkg,environment.d,firewalld,init,kernel,lsb,mime,pam.d,pcrlock.d,sysctl.d,sysusers.d,tmpfiles.d}',
  'usr/lib/*/{security/pam_{namespace,selinux,sepermit}.so,systemd}',
  'usr/lib/python3/dist-packages/{netifaces,ovs,sortedcontainers}*',
  'usr/sbin/{add*,chg*,chp*,cpgr,cppw,del*,dpkg*,faillock,group*,grp*,newusers,ovs-bugtool,pw*,user*,vigr,vipw}',
  'usr/share/{alsa,applications,apport,augeas,bug,debconf,dpkg,fonts,gst-plugins-base,initramfs-tools,iso-codes,mime,pam*}',
  'usr/share/{pkgconfig,polkit-1,sensible-utils,snmp,systemd,systemtap,vim,xml,zsh,libdrm}',
  'usr/share/openvswitch/{bugtool-plugins,scripts/ovs-bugtool*}',
  'var/lib/{dpkg,pam,systemd}',
];
/** Of the layers with Open vSwitch's tools alone: its daemons are in the switch's image. */
const UNUSED_DAEMONS = ['usr/lib/openvswitch-switch', 'usr/sbin/{ovsdb-server,ovs-vswitchd}', 'etc/openvswitch'];
/** Open vSwitch's tools in Python, and Python, which nothing else in the switch's image needs. */
const UNUSED_PYTHON = ['usr/bin/*python3*', 'usr/lib/python3*', 'usr/share/python3', 'usr/lib/*/libpython3*'];
/** Programs for other machines. libvirtd asks each emulator that it finds what it can do. */
const UNUSED_MACHINES = [
  'usr/bin/{qemu-system-i386,qemu-system-x86_64-microvm,qemu-storage-daemon}',
  'usr/libexec/qemu-system-i386',
  'usr/lib/python3*',
  'usr/share/qemu/{QEMU*,trace-events-all}',
];
const RECIPE_VERSION = '2';

/** What Neutron's agents and nova-compute call. Its place is above a release's tree. Cached. */
export async function agentLayer(): Promise<string> {
  const [base, tree] = [await debianTree(), await unpackedPackages('guest-agent-packages', AGENT_PACKAGES)];
  const unused = [...UNUSED_FILES, ...UNUSED_ABOVE, ...UNUSED_DAEMONS];
  const madeFrom = [RECIPE_VERSION, basename(base), basename(tree), ...unused, SUDOERS, PAM];
  return await cached('guest-agent', madeFrom, async (root) => {
    await above(base, [tree], root, unused);
    await writeFile(join(root, 'etc/sudoers'), SUDOERS, { mode: 0o440 });
    await mkdir(join(root, 'etc/pam.d'));
    for (const service of ['sudo', 'other']) await writeFile(join(root, 'etc/pam.d', service), PAM);
    for (const family of ['iptables', 'ip6tables'])
      for (const what of ['', '-save', '-restore'])
        await replaceByLink(join(root, `usr/sbin/${family}${what}`), 'xtables-nft-multi');
    await showLibvirtTo(root, await pythonOf(base));
  });
}

/** libvirtd and QEMU. Its place is above Debian's tree. Cached. */
export async function hypervisorLayer(): Promise<string> {
  const [base, ...trees] = [
    await debianTree(),
    await unpackedPackages('guest-hypervisor-packages', HYPERVISOR_PACKAGES),
    // The daemon's directories. The dependencies are polkit and systemd.
    await unpackedPackages('guest-libvirt-system', ['libvirt-daemon-system'], { dependencies: false }),
  ];
  const unused = [...UNUSED_FILES, ...UNUSED_ABOVE, ...UNUSED_DAEMONS, ...UNUSED_MACHINES];
  const madeFrom = [RECIPE_VERSION, basename(base), ...trees.map((tree) => basename(tree)), ...unused];
  return await cached('guest-hypervisor', madeFrom, async (root) => await above(base, trees, root, unused));
}

/** A whole root file system with Open vSwitch, which knows neither Debian's tree of the others nor Python. Cached. */
export async function switchLayer(): Promise<string> {
  const tree = await unpackedPackages('guest-switch-packages', SWITCH_PACKAGES, { suite: SWITCH_SUITE });
  const unused = [...UNUSED_FILES, ...UNUSED_ABOVE, ...UNUSED_PYTHON];
  return await cached('guest-switch', [RECIPE_VERSION, basename(tree), ...unused], async (root) => {
    await must('cp', ['-al', `${tree}/.`, root]);
    await finish(root, unused);
    await replaceByLink(join(root, 'usr/sbin/ovs-vswitchd'), '../lib/openvswitch-switch/ovs-vswitchd');
    await trustDebiansAuthorities(root);
  });
}

/** Fills `root` with the trees' files above `base`. */
async function above(base: string, trees: readonly string[], root: string, unused: readonly string[]): Promise<void> {
  for (const tree of trees) await layerAbove(base, tree, root);
  await finish(root, unused);
}

/** Removes what is not needed. Debian's programs look for sockets in /var/run, which base-files does not link. */
async function finish(root: string, unused: readonly string[]): Promise<void> {
  await prune(root, unused);
  await rm(join(root, 'var/run'), { recursive: true, force: true });
  await mkdir(join(root, 'var'), { recursive: true });
  await symlink('/run', join(root, 'var/run'));
  await chmod(root, 0o755);
}

async function prune(root: string, unused: readonly string[]): Promise<void> {
  for await (const path of glob([...unused], { cwd: root }))
    await rm(join(root, path), { recursive: true, force: true });
}

/** A link as of Debian's alternatives. What it replaces may be a hard link into the cache, so it is not written to. */
async function replaceByLink(path: string, target: string): Promise<void> {
  await rm(path, { force: true });
  await symlink(target, path);
}

/** The virtual environment does not see Debian's packages for Python: it gets links to libvirt's modules alone. */
async function showLibvirtTo(root: string, python: string): Promise<void> {
  const packages = 'usr/lib/python3/dist-packages';
  const site = join(root, VENV, 'lib', python, 'site-packages');
  await mkdir(site, { recursive: true });
  for await (const path of glob(`${packages}/libvirt*`, { cwd: root }))
    await symlink(`/${path}`, join(site, basename(path)));
}
