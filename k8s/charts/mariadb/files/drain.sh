{{- $mariadb := required "mariadb: workloads.mariadb is required" .Values.workloads.mariadb -}}
#!/bin/bash
# Before SIGTERM. A node that leaves its cluster refuses statements (error 1047) before it closes connections. So each client's
# connection is closed while it is idle and outside a transaction; the client connects to another node at its next use.
#
#   the Service's endpoints change -> idle connections are closed, each second -> none is left, or 30 s are over
sleep {{ int $mariadb.preStopSeconds }}
{{- if gt (int $mariadb.replicas) 1 }}
clients="information_schema.processlist AS c WHERE c.user NOT IN ('system user', 'event_scheduler', 'monitor', 'mysql')"
# An idle connection of a pool may just have been tested, and be about to be used: 100 ms.
idle="$clients AND c.command = 'Sleep' AND c.time_ms > 100
  AND c.id NOT IN (SELECT trx_mysql_thread_id FROM information_schema.innodb_trx)"
close="BEGIN NOT ATOMIC
  -- It has ended by itself.
  DECLARE CONTINUE HANDLER FOR 1094 BEGIN END;
  FOR client IN (SELECT c.id FROM $idle) DO KILL CONNECTION client.id; END FOR;
END"
for ((round = 0; round < 30; round++)); do
  left=$(mariadb --user=mysql --skip-column-names --delimiter='|' --execute="$close | SELECT COUNT(*) FROM $clients |") || exit
  ((left > 0)) || exit 0
  sleep 1
done
{{- end }}
