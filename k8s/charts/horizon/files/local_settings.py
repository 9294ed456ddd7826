# In place of the image's, which makes a key beside itself, in a root file system that nobody may write, before any file of
# local_settings.d is read. What is left out here has its default in the dashboard, or stands there.
LOCAL_PATH = '/tmp'
