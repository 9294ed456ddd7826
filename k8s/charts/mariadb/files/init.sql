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
-- For mariadb-upgrade; this uid owns the data, and this file with root's password.
GRANT ALL PRIVILEGES ON *.* TO 'mysql'@'localhost';
