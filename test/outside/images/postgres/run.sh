#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres}
  secret=$(mktemp)
  printf '%s' "${POSTGRES_PASSWORD:?}" >"$secret"
  initdb -U "$user" --pwfile="$secret" -A scram-sha-256 -E UTF8 --locale=C
  rm "$secret"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl start -w -o '-c listen_addresses= -c unix_socket_directories=/tmp'
  database=${POSTGRES_DB:-$user}
  if [ "$database" != postgres ]; then
    PGPASSWORD=$POSTGRES_PASSWORD createdb -h /tmp -U "$user" "$database"
  fi
  pg_ctl stop -w -m fast
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
