{{ .Values.settings.custom }}
