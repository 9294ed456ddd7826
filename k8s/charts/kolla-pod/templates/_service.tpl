{{/*
All objects of a chart. In: the chart's root. It builds a context that every other template gets instead: the
chart's parts, merged `Values`, `files` (those next to config.json), `workloads` (list) and `jobs` (list).
*/}}
{{- define "kolla-pod.service" -}}
{{- $ctx := dict "Chart" .Chart "Release" .Release "Files" .Files "Capabilities" .Capabilities "Template" .Template "objects" dict "refs" dict -}}
{{- include "kolla-pod.layValues" (list $ctx .Values) -}}
{{- include "kolla-pod.checkImages" $ctx -}}
{{- include "kolla-pod.completeWorkloads" $ctx -}}
{{- include "kolla-pod.readFiles" $ctx -}}
{{- include "kolla-pod.readWorkloads" $ctx -}}
{{- include "kolla-pod.bundleObjects" $ctx -}}
{{- include "kolla-pod.makeJobs" $ctx -}}
{{- if $ctx.Values.upgrade.check }}
{{- /* Of a cluster: `helm template`, which has none, is what renders it. */ -}}
{{- if lookup "v1" "ServiceAccount" $ctx.Release.Namespace "default" }}
{{- fail (printf "%s: upgrade.check: true would replace the whole release by one Job; take it out of the release's values, and create the Job by: helm template %s ... --set upgrade.check=true | kubectl create -f -" $ctx.Chart.Name $ctx.Release.Name) }}
{{- end }}
{{ if $ctx.workloads }}{{ include "kolla-pod.upgradeCheck" $ctx }}{{ end }}
{{- else }}
{{- range $workload := $ctx.workloads }}
{{ include "kolla-pod.workload" (list $ctx $workload) }}
{{- end }}
{{- range $job := $ctx.jobs }}
---
{{ toYaml $job }}
{{- end }}
{{- include "kolla-pod.cronJobs" $ctx }}
{{- include "kolla-pod.passwordObjects" $ctx }}
{{- include "kolla-pod.jobAccess" $ctx }}
{{- range $name, $object := $ctx.objects }}
---
{{ toYaml $object }}
{{- end }}
{{- if $ctx.Release.IsUpgrade }}
{{ include "kolla-pod.hooks" $ctx }}
{{- end }}
{{- include "kolla-pod.tests" $ctx }}
{{- range $object := $ctx.Values.objects }}
---
{{ if kindIs "string" $object }}{{ tpl $object $ctx }}{{ else }}{{ toYaml $object }}{{ end }}
{{- end }}
{{- end }}
{{- include "kolla-pod.checkSecrets" $ctx }}
{{- with $ctx.missingPasswords }}
{{- fail (printf "%s: no password %s; put it under global.passwords or name its Secret under global.passwordSecrets; kolla-pod passwords FILE creates them" $ctx.Chart.Name (uniq . | sortAlpha | join ", ")) }}
{{- end }}
{{- end }}
