# Replaces the image's file, which creates a key next to itself, in a read-only root file system, before any file of
# local_settings.d is read. Settings missing here have the dashboard's defaults, or are in that directory.
LOCAL_PATH = '/tmp'
