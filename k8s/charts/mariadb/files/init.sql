{{- $text := dict "root" "database_password" "monitor" "mariadb_monitor_password" -}}
{{- $quoted := dict -}}
{{- range $account, $name := $text }}{{ $_ := set $quoted $account (include "kolla-pod.password" (list $ $name "sql")) }}{{ end -}}
DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host NOT IN ('localhost', '%'));
FLUSH PRIVILEGES;
CREATE USER IF NOT EXISTS 'root'@'localhost';
ALTER USER 'root'@'localhost' IDENTIFIED BY '{{ $quoted.root }}';
CREATE USER IF NOT EXISTS 'root'@'%';
ALTER USER 'root'@'%' IDENTIFIED BY '{{ $quoted.root }}';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION;
GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE USER IF NOT EXISTS 'monitor'@'%';
ALTER USER 'monitor'@'%' IDENTIFIED BY '{{ $quoted.monitor }}';
CREATE USER IF NOT EXISTS 'mysql'@'localhost' IDENTIFIED VIA unix_socket;
GRANT RELOAD, PROCESS, CONNECTION ADMIN, LOCK TABLES, BINLOG MONITOR, REPLICA MONITOR, REPLICATION CLIENT ON *.* TO 'mysql'@'localhost';
