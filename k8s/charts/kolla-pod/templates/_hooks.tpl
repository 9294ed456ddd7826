{{/*
What `helm upgrade` runs before it changes any object: pre-upgrade hooks (docs/adr/0022-jobs-before-an-upgrade.md).

  upgrade.needs                -> a Job that waits
  bootstrap; expand, migrate   -> copies of the Jobs, with copies of what they mount and of their account

The names end in the release's revision, so that a repeated upgrade deletes no running migrator: its own Job waits for the lock.
Helm deletes all copies once every hook has succeeded. The Jobs of the release itself come afterwards, as on install, and find
everything recorded. In: context, with all objects complete.
*/}}
{{- define "kolla-pod.hooks" -}}
{{- $ctx := . -}}
{{- $needs := list -}}
{{- range .Values.upgrade.needs -}}{{- with include "kolla-pod.openText" (list $ctx . "upgrade.needs") | trim -}}{{- $needs = append $needs . -}}{{- end -}}{{- end -}}
{{- $own := omit $ctx "jobs" -}}
{{- $_ := set $own "jobs" list -}}
{{- $_ := set $own "jobsBefore" list -}}
{{- $_ := set $own "jobWaits" list -}}
{{- if and $needs .workloads -}}
{{- $_ := include "kolla-pod.job" (dict "ctx" $own "of" .jobOf "name" "upgrade" "command" (list "true") "waits" $needs "env" dict "isBefore" true) -}}
{{- end -}}
{{- $jobs := concat $own.jobsBefore .jobsBefore -}}
{{- if $jobs -}}
{{- $account := printf "%s-bootstrap" .name -}}
{{- $roles := fromJson (include "kolla-pod.jobRoles" (list $ctx (concat .jobWaits $needs))) -}}
{{- $hooks := list -}}
{{- /* Otherwise their Roles are the user's, for the account's own name. */ -}}
{{- if .Values.rbac.create -}}
{{- range splitList "\n---\n" (include "kolla-pod.access" (list $ctx $account "bootstrap" $roles)) -}}
{{- with fromYaml . -}}{{- $hooks = append $hooks . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $text := toJson $jobs -}}
{{- range $object := .objects -}}
{{- if and (has $object.kind (list "Secret" "ConfigMap")) (contains (quote $object.metadata.name) $text) -}}{{- $hooks = append $hooks $object -}}{{- end -}}
{{- end -}}
{{- $names := list -}}
{{- range concat $hooks $jobs -}}{{- $names = append $names .metadata.name -}}{{- end -}}
{{- range $i, $hook := concat $hooks $jobs -}}
{{- $weight := max 0 (add1 (sub $i (len $hooks))) -}}
{{- $copy := toJson $hook -}}
{{- range $name := uniq $names -}}
{{- $new := printf "%s-r%d" $name (int $ctx.Release.Revision) -}}
{{- $copy = replace (quote $name) (quote $new) $copy | replace (printf "\"job/%s?" $name) (printf "\"job/%s?" $new) | replace (printf "\"job/%s\"" $name) (printf "\"job/%s\"" $new) -}}
{{- end -}}
{{- $copy = fromJson $copy -}}
{{- include "kolla-pod.checkLength" (list $ctx "name" $copy.metadata.name (ternary 63 253 (eq $copy.kind "Job"))) -}}
{{- $annotations := omit ($copy.metadata.annotations | default dict) "helm.sh/resource-policy" -}}
{{- $_ := set $copy.metadata "annotations" (merge $annotations (dict "helm.sh/hook" "pre-upgrade" "helm.sh/hook-weight" (toString $weight) "helm.sh/hook-delete-policy" "hook-succeeded")) -}}
{{- $_ := set $copy.metadata.labels "kolla-pod/versioned" "true" }}
---
{{ toYaml $copy }}
{{- end -}}
{{- end -}}
{{- end -}}
