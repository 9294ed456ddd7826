# Initializes the data directory once, then starts the server.
set -eu
data=/var/lib/mysql
[ -d "$data/mysql" ] || mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db
# Without these collations a foreign key of a newer MariaDB can't refer to a table of an older one.
exec mariadbd --loose-character-set-collations= --datadir="$data" --socket=/run/mysqld/mysqld.sock --bind-address=0.0.0.0 --init-file=/config/init.sql
