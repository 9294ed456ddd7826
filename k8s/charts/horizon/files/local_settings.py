# In place of the image's, which makes a key beside itself, in a read-only root file system, before any file of
# local_settings.d is read. What is left out here has its default in the dashboard, or stands there.
LOCAL_PATH = '/tmp'
