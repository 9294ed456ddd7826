
{{/*
What `helm upgrade` runs before it changes any object, and after it has changed all: hooks
(docs/adr/0022-jobs-before-an-upgrade.md).

  pre-upgrade:   upgrade.needs                -> a Job that waits
                 upgrade.prepare              -> a Job of the new image, if the image changes
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
{{- $before = concat (fromJsonArray (include "kolla-pod.ownJob" (list . "upgrade" (list "true") $needs))) $before -}}
{{- end -}}
{{- $before = concat (fromJsonArray (include "kolla-pod.prepareJob" .)) $before -}}
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
{{- $jobs := fromJsonArray (include "kolla-pod.ownJob" (list . "restart" $command $waits)) -}}
{{ include "kolla-pod.hookCopies" (list . "post-upgrade" $jobs $waits $grants) }}
{{- end -}}
{{- end -}}

{{/*
upgrade.prepare, unless the workload keeps its image, has no Pods or is new: what the Job asks may be what a changed value repairs. In:
context. Out: JSON list with the Job, or none.
*/}}
{{- define "kolla-pod.prepareJob" -}}
{{- $ctx := . -}}
{{- $_ := set . "passwords" (.passwords | default dict) -}}
{{- $prepare := .Values.upgrade.prepare -}}
{{- $jobs := list -}}
{{- if and $prepare.command .jobOf -}}
{{- $of := .jobOf.values -}}
{{- $image := include "kolla-pod.image" (list . $of.image) -}}
{{- $isSame := false -}}
{{- $live := lookup "apps/v1" $of.kind .Release.Namespace .jobOf.name | default dict -}}
{{- range dig "spec" "template" "spec" "containers" list $live -}}
{{- if and (eq .name $ctx.jobOf.name) (eq .image $image) -}}{{- $isSame = true -}}{{- end -}}
{{- end -}}
{{- if and (not $isSame) (gt (int $of.replicas) 0) (gt (dig "spec" "replicas" 1 $live | int) 0) -}}
{{- $command := fromJsonArray (include "kolla-pod.commandWords" (list . $prepare.command "upgrade.prepare.command")) -}}
{{- $jobs = fromJsonArray (include "kolla-pod.ownJob" (list . "prepare" $command list (dict "env" $prepare.env "isPhase" true "isOffline" true))) -}}
{{- range $jobs -}}{{- $_ := set .spec "ttlSecondsAfterFinished" (int $ctx.Values.jobs.ttlSecondsAfterFinished) -}}{{- end -}}
{{- /* The copies of the Secrets that it names. */ -}}
{{- $_ := include "kolla-pod.passwordObjects" . -}}
{{- end -}}
{{- end -}}
{{- toJson $jobs -}}
{{- end -}}

{{/* Waits without those that are empty. In: list of context, texts, and their place in the values. Out: JSON. */}}
{{- define "kolla-pod.openTexts" -}}
{{- $ctx := index . 0 -}}
{{- $place := index . 2 -}}
{{- $texts := list -}}
{{- range index . 1 -}}{{- with include "kolla-pod.openText" (list $ctx . $place) | trim -}}{{- $texts = append $texts . -}}{{- end -}}{{- end -}}
{{- toJson $texts -}}
{{- end -}}

{{/* A Job that the release does not have. In: list of context, name, command, waits, and further input of kolla-pod.job. Out: JSON list with the Job. */}}
{{- define "kolla-pod.ownJob" -}}
{{- $own := omit (index . 0) "jobs" -}}
{{- $_ := set $own "jobs" list -}}
{{- $_ := set $own "jobsBefore" list -}}
{{- $_ := set $own "jobWaits" list -}}
{{- $input := dict -}}
{{- if gt (len .) 4 -}}{{- $input = index . 4 -}}{{- end -}}
{{- $_ := include "kolla-pod.job" (merge (dict "ctx" $own "of" $own.jobOf "name" (index . 1) "command" (index . 2) "waits" (index . 3) "env" dict) $input) -}}
{{- toJson $own.jobs -}}
{{- end -}}

{{/*
All that a chart renders with upgrade.check: a Job with the upgrade check of the service's own tool, and copies of what it mounts. It
is neither part of a release nor a hook: kolla-operator and `kubectl apply` create it next to the release that serves, whose
objects it must not touch. In: context.
*/}}
{{- define "kolla-pod.upgradeCheck" -}}
{{- $_ := set . "passwords" (.passwords | default dict) -}}
{{- $command := list (include "kolla-pod.program" (list . "kolla-db-sync")) "upgrade-check" .Values.service -}}
{{- /* Those of the service, such as Keystone's keys, without which its tool does not start; a claim may be in use on another node. */ -}}
{{- $volumes := deepCopy .Values.bootstrap.volumes -}}
{{- range $name, $volume := .jobOf.values.volumes -}}
{{- $source := $volume.source | default dict -}}
{{- if and $source (not (hasKey $source "hostPath")) (not (hasKey $source "persistentVolumeClaim")) -}}{{- $_ := set $volumes $name $volume -}}{{- end -}}
{{- end -}}
{{- $jobs := fromJsonArray (include "kolla-pod.ownJob" (list . "upgrade" $command list (dict "isOffline" true "isPhase" true "volumes" $volumes "env" (pick .Values.bootstrap.env "KOLLA_DB_SYNC_CHECK_TIMEOUT")))) -}}
{{- $_ := include "kolla-pod.passwordObjects" . -}}
{{- range $copy := fromJsonArray (include "kolla-pod.copies" (list . list $jobs "check")) -}}
{{- /* A failed one is kept for its log, and then made again by the operator. */ -}}
{{- if eq $copy.kind "Job" -}}{{- $_ := set $copy.metadata.annotations "kolla-pod/upgrade-check" "true" -}}{{- $_ := set $copy "spec" (merge (dict "ttlSecondsAfterFinished" 600) $copy.spec (dict "activeDeadlineSeconds" 1800)) -}}{{- end }}
---
{{ toYaml $copy }}
{{- end -}}
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
{{- $copies := fromJsonArray (include "kolla-pod.copies" (list $ctx $hooks $jobs (printf "r%d" (int $ctx.Release.Revision)))) -}}
{{- range $i, $copy := $copies -}}
{{- $weight := max 0 (add1 (sub $i (sub (len $copies) (len $jobs)))) -}}
{{- $_ := set $copy.metadata "annotations" (merge $copy.metadata.annotations (dict "helm.sh/hook" $event "helm.sh/hook-weight" (toString $weight) "helm.sh/hook-delete-policy" "hook-succeeded")) }}
---
{{ toYaml $copy }}
{{- end -}}
{{- end -}}

{{/*
Objects, the Secrets and ConfigMaps that Jobs mount, and the Jobs, in this order, under names with a suffix of their own. In: list
of context, objects, Jobs and suffix. Out: JSON list.
*/}}
{{- define "kolla-pod.copies" -}}
{{- $ctx := index . 0 -}}
{{- $objects := index . 1 -}}
{{- $jobs := index . 2 -}}
{{- $suffix := index . 3 -}}
{{- $text := toJson $jobs -}}
{{- range $object := $ctx.objects -}}
{{- if and (has $object.kind (list "Secret" "ConfigMap")) (contains (quote $object.metadata.name) $text) -}}{{- $objects = append $objects $object -}}{{- end -}}
{{- end -}}
{{- $names := list -}}
{{- range concat $objects $jobs -}}{{- $names = append $names .metadata.name -}}{{- end -}}
{{- $copies := list -}}
{{- range concat $objects $jobs -}}
{{- $copy := toJson . -}}
{{- range $name := uniq $names -}}
{{- $new := printf "%s-%s" $name $suffix -}}
{{- $copy = replace (quote $name) (quote $new) $copy | replace (printf "\"job/%s?" $name) (printf "\"job/%s?" $new) | replace (printf "\"job/%s\"" $name) (printf "\"job/%s\"" $new) -}}
{{- end -}}
{{- $copy = fromJson $copy -}}
{{- include "kolla-pod.checkLength" (list $ctx "name" $copy.metadata.name (ternary 63 253 (eq $copy.kind "Job"))) -}}
{{- $_ := set $copy.metadata "annotations" (omit ($copy.metadata.annotations | default dict) "helm.sh/resource-policy") -}}
{{- $_ := set $copy.metadata.labels "kolla-pod/versioned" "true" -}}
{{- $copies = append $copies $copy -}}
{{- end -}}
{{- toJson $copies -}}
{{- end -}}
