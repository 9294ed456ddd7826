# Replaces the image's extend script, which writes into the image. The static files depend on the image and the settings, so
# they are created when the Pod starts; the startup probe waits for them.
set -o errexit
manage='/var/lib/kolla/venv/bin/python /var/lib/kolla/venv/bin/manage.py'
$manage collectstatic --noinput --clear
$manage compress --force
exec uwsgi /etc/horizon/horizon-uwsgi.ini
