# In place of the image's extend script, which writes into the image. The static files are the image's and the settings', so
# they are made when the pod starts; the Startup probe waits for it.
set -o errexit
manage='/var/lib/kolla/venv/bin/python /var/lib/kolla/venv/bin/manage.py'
$manage collectstatic --noinput --clear
$manage compress --force
exec uwsgi /etc/horizon/horizon-uwsgi.ini
