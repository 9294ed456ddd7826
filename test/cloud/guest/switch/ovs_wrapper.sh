#!/bin/bash
# ovs_wrapper DAEMON ARGUMENT...: runs a daemon of Open vSwitch, and ends it by its control socket on TERM and QUIT.
name=${1##*/}
stop() {
  ovs-appctl -T 1 -t "/run/openvswitch/$name.$child.ctl" exit
  wait "$child"
  exit 0
}
trap stop TERM QUIT
"$@" &
child=$!
wait "$child"
