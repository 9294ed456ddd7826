# Initializes the data directory once, then starts the server.
set -eu
data=/var/lib/mysql
[ -d "$data/mysql" ] || mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db
exec mariadbd --datadir="$data" --socket=/run/mysqld/mysqld.sock --bind-address=0.0.0.0 --init-file=/config/init.sql
