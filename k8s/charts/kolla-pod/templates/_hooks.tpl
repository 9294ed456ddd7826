
{{/*
What `helm upgrade` runs before it changes any object, and after it has changed all: hooks
(docs/adr/0022-jobs-before-an-upgrade.md).

  pre-upgrade:   upgrade.needs                -> a Job that waits
                 bootstrap; expand, migrate   -> copies of the Jobs, with copies of what they mount and of their account
  post-upgrade:  upgrade.restart              -> a Job that waits, then restarts workloads of other charts; only if stepwise,
                                                 since a changed value needs no restart

The names end in the release's revision, so that a repeated upgrade deletes no running migrator: its own Job waits for the lock.
Helm deletes all copies once every hook has succeeded. The Jobs of the release itself come afterwards, as on install, and find
everything recorded. In: context, with all objects complete.
*/}}
{{- define "kolla-pod.hooks" -}}
{{- $needs := fromJsonArray (include "kolla-pod.openTexts" (list . .Values.upgrade.needs "upgrade.needs")) -}}
{{- $before := .jobsBefore -}}
{{- if and $needs .workloads -}}
{{- $before = concat (fromJsonArray (include "kolla-pod.waitingJob" (list . "upgrade" (list "true") $needs))) $before -}}
{{- end -}}
{{- if $before }}{{ include "kolla-pod.hookCopies" (list . "pre-upgrade" $before (concat .jobWaits $needs) list) }}{{ end }}
{{- $restart := .Values.upgrade.restart -}}
{{- if and $restart.workloads .workloads .Values.upgrade.stepwise -}}
{{- $ctx := . -}}
{{- $waits := fromJsonArray (include "kolla-pod.openTexts" (list . $restart.after "upgrade.restart.after")) -}}
{{- $grants := list -}}
{{- range $restart.workloads -}}
{{- $parts := regexSplit "[/@]" . 3 -}}
{{- $at := $ctx.Release.Namespace -}}
{{- if gt (len $parts) 2 -}}{{- $at = last $parts -}}{{- end -}}
{{- $grants = append $grants (dict "namespace" $at "group" "apps" "resource" (printf "%ss" (first $parts)) "name" (index $parts 1) "verbs" (list "patch")) -}}
{{- end -}}
{{- $command := concat (list (include "kolla-pod.program" (list . "kolla-init")) "restart") $restart.workloads -}}
{{- $jobs := fromJsonArray (include "kolla-pod.waitingJob" (list . "restart" $command $waits)) -}}
{{ include "kolla-pod.hookCopies" (list . "post-upgrade" $jobs $waits $grants) }}
{{- end -}}
{{- end -}}

{{/* Waits without those that are empty. In: list of context, texts, and their place in the values. Out: JSON. */}}
{{- define "kolla-pod.openTexts" -}}
{{- $ctx := index . 0 -}}
{{- $place := index . 2 -}}
{{- $texts := list -}}
{{- range index . 1 -}}{{- with include "kolla-pod.openText" (list $ctx . $place) | trim -}}{{- $texts = append $texts . -}}{{- end -}}{{- end -}}
{{- toJson $texts -}}
{{- end -}}

{{/* A Job that is only a hook. In: list of context, name, command and waits. Out: JSON list with the Job. */}}
{{- define "kolla-pod.waitingJob" -}}
{{- $own := omit (index . 0) "jobs" -}}
{{- $_ := set $own "jobs" list -}}
{{- $_ := set $own "jobsBefore" list -}}
{{- $_ := set $own "jobWaits" list -}}
{{- $_ := include "kolla-pod.job" (dict "ctx" $own "of" $own.jobOf "name" (index . 1) "command" (index . 2) "waits" (index . 3) "env" dict) -}}
{{- toJson $own.jobs -}}
{{- end -}}

{{/* Copies of Jobs as hooks, with what they need. In: list of context, event, Jobs, their waits, and further grants. */}}
{{- define "kolla-pod.hookCopies" -}}
{{- $ctx := index . 0 -}}
{{- $event := index . 1 -}}
{{- $jobs := index . 2 -}}
{{- $waits := index . 3 -}}
{{- $grants := index . 4 -}}
{{- $account := printf "%s-bootstrap" $ctx.name -}}
{{- $roles := fromJson (include "kolla-pod.jobRoles" (list $ctx $waits $grants)) -}}
{{- $hooks := list -}}
{{- /* Otherwise their Roles are the user's, for the account's own name. */ -}}
{{- if $ctx.Values.rbac.create -}}
{{- range splitList "\n---\n" (include "kolla-pod.access" (list $ctx $account "bootstrap" $roles)) -}}
{{- with fromYaml . -}}{{- $hooks = append $hooks . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $text := toJson $jobs -}}
{{- range $object := $ctx.objects -}}
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
{{- $_ := set $copy.metadata "annotations" (merge $annotations (dict "helm.sh/hook" $event "helm.sh/hook-weight" (toString $weight) "helm.sh/hook-delete-policy" "hook-succeeded")) -}}
{{- $_ := set $copy.metadata.labels "kolla-pod/versioned" "true" }}
---
{{ toYaml $copy }}
{{- end -}}
{{- end -}}
