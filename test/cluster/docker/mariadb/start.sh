# As the entry point of MariaDB's own image: root, with the password of MARIADB_ROOT_PASSWORD, from any host.
set -eu
install -d -o mysql /run/mysqld /var/lib/mysql
mariadb-install-db --user=mysql --datadir=/var/lib/mysql --auth-root-authentication-method=normal --skip-test-db
printf '%s\n' "CREATE USER 'root'@'%' IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';" \
  "GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;" > /tmp/init.sql
exec mariadbd --user=mysql --datadir=/var/lib/mysql --bind-address=0.0.0.0 --init-file=/tmp/init.sql
