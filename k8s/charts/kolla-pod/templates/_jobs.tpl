{{/*
bootstrap and upgrade -> `jobs` of the context, and `waitFor`: the waits of this chart's Pods.

  keys (first, without the database) ; bootstrap (all, or expand) -> migrate -> Pods -> contract, online (after the rollout;
    suspended by upgrade.pauseBefore)

A Job's template is immutable, so its name ends in the hash of it, which covers image, configuration (whose objects
have their hash in their names, unless `reload: live`) and phase.
*/}}
{{- define "kolla-pod.makeJobs" -}}
{{- $ctx := . -}}
{{- $values := .Values -}}
{{- $_ := set . "jobs" list -}}
{{- $_ := set . "jobsBefore" list -}}
{{- $_ := set . "jobWaits" list -}}
{{- $_ := set . "cronWaits" list -}}
{{- $_ := set . "jobRollouts" list -}}
{{- $_ := set . "waitFor" "" -}}
{{- $of := dict -}}
{{- range .workloads -}}{{- if or (not $of) (eq .key $values.bootstrap.workload) -}}{{- $of = . -}}{{- end -}}{{- end -}}
{{- $_ := set . "jobOf" $of -}}
{{- if and $values.bootstrap.enabled .workloads -}}
{{- if and $values.bootstrap.workload (ne $of.key $values.bootstrap.workload) -}}
{{- fail (printf "%s: bootstrap.workload: there is no workloads.%s" .Chart.Name $values.bootstrap.workload) -}}
{{- end -}}
{{- range $values.upgrade.workloads -}}
{{- /* Otherwise contract would not wait for it, and break its old Pods. */ -}}
{{- if not (hasKey $values.workloads .) -}}
{{- fail (printf "%s: upgrade.workloads: there is no workloads.%s" $ctx.Chart.Name .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $volume := $values.bootstrap.volumes -}}
{{- if not $volume.source -}}{{- fail (printf "%s: bootstrap.volumes.%s: say source; a Job has no claims of its own" $ctx.Chart.Name $name) -}}{{- end -}}
{{- if not $volume.mountPath -}}{{- fail (printf "%s: bootstrap.volumes.%s: say mountPath" $ctx.Chart.Name $name) -}}{{- end -}}
{{- end -}}
{{- if and $values.upgrade.pauseBefore (not $values.upgrade.stepwise) -}}
{{- fail (printf "%s: upgrade.pauseBefore: say upgrade.stepwise: true; otherwise one Job runs the whole migration" .Chart.Name) -}}
{{- end -}}
{{- $phases := ternary $values.upgrade.phases list $values.upgrade.stepwise -}}
{{- if $values.bootstrap.keys -}}
{{- $command := list (include "kolla-pod.program" (list . "kolla-bootstrap")) "keys" "create" $values.service -}}
{{- $_ := include "kolla-pod.job" (dict "ctx" . "of" $of "name" "keys" "command" $command "waits" list "env" dict) -}}
{{- end -}}
{{- $common := list "--release" ($values.release | toString) "--grace" (printf "%ds" (sub (int $values.jobs.terminationGracePeriodSeconds) 30)) -}}
{{- $first := ternary "expand" "all" (has "expand" $phases) -}}
{{- $command := concat (list (include "kolla-pod.program" (list . "kolla-bootstrap")) $values.service) $common -}}
{{- if ne $first "all" -}}{{- $command = concat $command (list "--phase" $first) -}}{{- end -}}
{{- range $values.bootstrap.run.only -}}{{- $command = concat $command (list "--only" .) -}}{{- end -}}
{{- range $values.bootstrap.run.skip -}}{{- $command = concat $command (list "--skip" .) -}}{{- end -}}
{{- range $values.bootstrap.run.args -}}{{- $command = append $command (include "kolla-pod.openText" (list $ctx . "bootstrap.run.args")) -}}{{- end -}}
{{- $waits := fromJsonArray (include "kolla-pod.bootstrapNeeds" .) -}}
{{- $env := fromJson (include "kolla-pod.bootstrapEnv" .) -}}
{{- $last := include "kolla-pod.job" (dict "ctx" . "of" $of "name" "bootstrap" "command" $command "waits" $waits "env" $env "isBefore" true) -}}
{{- $sync := concat (list (include "kolla-pod.program" (list . "kolla-db-sync")) $values.service) $common -}}
{{- $databaseEnv := pick $env "KOLLA_DB_SYNC_ADMIN_USER" "KOLLA_DB_SYNC_ADMIN_PASSWORD" -}}
{{- if has "migrate" $phases -}}
{{- $last = include "kolla-pod.job" (dict "ctx" . "of" $of "name" "db-migrate" "command" (concat $sync (list "--phase" "migrate")) "waits" (list (include "kolla-pod.jobWait" (list . $last))) "env" $databaseEnv "isPhase" true "isBefore" true) -}}
{{- end -}}
{{- $_ := set . "waitFor" (include "kolla-pod.jobWait" (list . $last)) -}}
{{- $rollouts := list -}}
{{- $grants := list -}}
{{- range ternary .workloads list (or (has "contract" $phases) (has "online" $phases)) -}}
{{- if or (not $values.upgrade.workloads) (has .key $values.upgrade.workloads) -}}
{{- $rollouts = concat $rollouts (list "--after-rollout" (printf "%s/%s" (lower .values.kind) .name)) -}}
{{- $_ := set $ctx "jobRollouts" (append $ctx.jobRollouts (dict "kind" (lower .values.kind) "name" .name)) -}}
{{- end -}}
{{- end -}}
{{- range $phase := list "contract" "online" -}}
{{- if has $phase $phases -}}
{{- $_ := include "kolla-pod.job" (dict "ctx" $ctx "of" $of "name" (printf "db-%s" $phase) "command" (concat $sync (list "--phase" $phase) $rollouts) "waits" (list $ctx.waitFor) "env" $databaseEnv "isPhase" true "isSuspended" (eq $values.upgrade.pauseBefore "contract")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The wait for a Job by its name; the migration's record replaces a Job removed by its TTL. */}}
{{- define "kolla-pod.jobWait" -}}
{{- $ctx := index . 0 -}}
{{- $sync := include "kolla-pod.dbSync" $ctx -}}
{{- $options := ternary (printf "?db-sync=%s&release=%v" $sync $ctx.Values.release) "" (ne $sync "") -}}
{{- printf "job/%s%s" (index . 1) $options -}}
{{- end -}}

{{- define "kolla-pod.dbSync" -}}
{{- if hasKey .Values.bootstrap "dbSync" -}}{{- .Values.bootstrap.dbSync -}}{{- else -}}{{- .Values.service -}}{{- end -}}
{{- end -}}

{{/* In: list of context and workload. Out: JSON. */}}
{{- define "kolla-pod.jobWaits" -}}
{{- $ctx := index . 0 -}}
{{- $waits := list -}}
{{- if and $ctx.waitFor (index . 1).values.waitForBootstrap -}}{{- $waits = list $ctx.waitFor -}}{{- end -}}
{{- toJson $waits -}}
{{- end -}}

{{- define "kolla-pod.bootstrapNeeds" -}}
{{- $values := .Values -}}
{{- $waits := list -}}
{{- $at := $values.global.endpoints -}}
{{- if $values.bootstrap.database -}}{{- $waits = append $waits (printf "mysql://%s:%v" $at.mariadb.host $at.mariadb.port) -}}{{- end -}}
{{- if $values.bootstrap.queue -}}{{- $waits = append $waits (include "kolla-pod.serverWait" (list . "amqp" (printf "%s:%v" $at.rabbitmq.host $at.rabbitmq.port))) -}}{{- end -}}
{{- if $values.bootstrap.identity -}}{{- $waits = append $waits (include "kolla-pod.identityUrl" .) -}}{{- end -}}
{{- $ctx := . -}}
{{- range $values.bootstrap.needs -}}{{- with include "kolla-pod.openText" (list $ctx . "bootstrap.needs") | trim -}}{{- $waits = append $waits . -}}{{- end -}}{{- end -}}
{{- toJson $waits -}}
{{- end -}}

{{/* The admin account of kolla-bootstrap, as values of `env`. Out: JSON. */}}
{{- define "kolla-pod.bootstrapEnv" -}}
{{- $values := .Values -}}
{{- $global := $values.global -}}
{{- $env := dict -}}
{{- if $values.bootstrap.database -}}
{{- $_ := set $env "KOLLA_DB_SYNC_ADMIN_USER" ($global.endpoints.mariadb.admin | default "root") -}}
{{- $_ := set $env "KOLLA_DB_SYNC_ADMIN_PASSWORD" (dict "password" "database_password") -}}
{{- end -}}
{{- if $values.bootstrap.queue -}}
{{- $at := $global.endpoints.rabbitmq -}}
{{- $_ := set $env "KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_USER" ($at.admin | default "openstack") -}}
{{- $_ := set $env "KOLLA_BOOTSTRAP_RABBITMQ_ADMIN_PASSWORD" (dict "password" "rabbitmq_password") -}}
{{- $_ := set $env "KOLLA_BOOTSTRAP_RABBITMQ_URL" (printf "%s://%s:%v" (include "kolla-pod.scheme" .) $at.host $at.managementPort) -}}
{{- if include "kolla-pod.tls" . -}}{{- $_ := set $env "KOLLA_BOOTSTRAP_CA_FILE" (include "kolla-pod.tlsCa" .) -}}{{- end -}}
{{- end -}}
{{- if $values.bootstrap.identity -}}
{{- $_ := set $env "OS_AUTH_URL" (include "kolla-pod.identityUrl" .) -}}
{{- $_ := set $env "OS_USERNAME" "admin" -}}
{{- $_ := set $env "OS_PROJECT_NAME" "admin" -}}
{{- $_ := set $env "OS_PASSWORD" (dict "password" "keystone_admin_password") -}}
{{- $_ := set $env "OS_REGION_NAME" $global.region -}}
{{- if include "kolla-pod.tls" . -}}{{- $_ := set $env "OS_CACERT" (include "kolla-pod.tlsCa" .) -}}{{- end -}}
{{- range $interface := list "public" "internal" -}}
{{- $url := get $values.bootstrap (printf "%sUrl" $interface) | default (ternary $global.publicUrl "" (eq $interface "public")) | default $values.bootstrap.internalUrl | default (printf "%s://%s:{port}{path}" (include "kolla-pod.scheme" $) $.name) -}}
{{- $_ := set $env (printf "KOLLA_BOOTSTRAP_%s_URL" (upper $interface)) (kindIs "slice" $url | ternary (join "," (kindIs "slice" $url | ternary $url list)) $url) -}}
{{- end -}}
{{- end -}}
{{- include "kolla-pod.lay" (list $env (deepCopy $values.bootstrap.env)) -}}
{{- toJson $env -}}
{{- end -}}

{{/*
Appends one Job. In: dict of ctx, of (the workload with its image and configuration), name, command, waits, env,
isPhase, isBefore (the rollout: kolla-pod.hooks), isSuspended. Out: its name.
*/}}
{{- define "kolla-pod.job" -}}
{{- $ctx := .ctx -}}
{{- $values := $ctx.Values -}}
{{- $template := fromJson (include "kolla-pod.jobPod" .) -}}
{{- $name := printf "%s-%s-%s" $ctx.name .name (include "kolla-pod.hash" (toJson $template)) -}}
{{- include "kolla-pod.checkLength" (list $ctx "name" $name 63) -}}
{{- /* Its copies before each upgrade have the revision too: kolla-pod.hooks. */ -}}
{{- if .isBefore -}}{{- include "kolla-pod.checkLength" (list $ctx "name" (printf "%s-r999" $name) 63) -}}{{- end -}}
{{- $labels := fromYaml (include "kolla-pod.labels" (list $ctx .name)) -}}
{{- /*
Our own selector: a selector generated by the API server is in the live object and not in ours, so `helm
rollback`, which uses the live object of a kept object as the old version, would remove it, and a Job's selector
is immutable.
*/ -}}
{{- $_ := set $template.metadata.labels "batch.kubernetes.io/job-name" $name -}}
{{- $selector := dict "matchLabels" (dict "batch.kubernetes.io/job-name" $name) -}}
{{- /* A drained node does not count as a failure; usage and configuration errors are not fixed by retrying. */ -}}
{{- $drained := dict "action" "Ignore" "onPodConditions" (list (dict "type" "DisruptionTarget" "status" "True")) -}}
{{- $wrong := dict "action" "FailJob" "onExitCodes" (dict "operator" "In" "values" (list 64 65)) -}}
{{- $spec := dict "podFailurePolicy" (dict "rules" (list $drained $wrong)) "manualSelector" true "selector" $selector "backoffLimit" (ternary 0 (int $values.jobs.backoffLimit) (.isPhase | default false)) "template" $template -}}
{{- if include "kolla-pod.dbSync" $ctx -}}{{- $_ := set $spec "ttlSecondsAfterFinished" (int $values.jobs.ttlSecondsAfterFinished) -}}{{- end -}}
{{- with $values.jobs.activeDeadlineSeconds -}}{{- $_ := set $spec "activeDeadlineSeconds" (int .) -}}{{- end -}}
{{- if .isSuspended -}}{{- $_ := set $spec "suspend" true -}}{{- end -}}
{{- $annotations := dict "kolla-pod/release" ($values.release | toString) -}}
{{- /* For kolla-operator: the Lease that records what these Jobs do. */ -}}
{{- with include "kolla-pod.dbSync" $ctx -}}{{- $_ := set $annotations "kolla-pod/migration" . -}}{{- end -}}
{{- $metadata := dict "name" $name "namespace" $ctx.Release.Namespace "labels" $labels "annotations" $annotations -}}
{{- $_ := merge $metadata (fromJson (include "kolla-pod.kept" $ctx)) -}}
{{- $job := dict "apiVersion" "batch/v1" "kind" "Job" "metadata" $metadata "spec" $spec -}}
{{- $_ := set $ctx "jobs" (append $ctx.jobs $job) -}}
{{- if .isBefore -}}{{- $_ := set $ctx "jobsBefore" (append $ctx.jobsBefore $job) -}}{{- end -}}
{{- $_ := set $ctx "jobWaits" (concat $ctx.jobWaits .waits) -}}
{{- $name -}}
{{- end -}}

{{/*
A Job's Pod template. In: as kolla-pod.job, and `account`: the suffix of its name; `isOffline`: it uses no API server, and
so neither account nor token; `volumes`, if other than those of the values. Out: JSON.
*/}}
{{- define "kolla-pod.jobPod" -}}
{{- $ctx := .ctx -}}
{{- $values := $ctx.Values -}}
{{- $workload := deepCopy .of -}}
{{- /* Values for the service only: its Pods' volumes, host and labels. */ -}}
{{- $_ := set $workload.values "volumes" (deepCopy (.volumes | default $values.bootstrap.volumes)) -}}
{{- $_ := set $workload "places" (dict) -}}
{{- include "kolla-pod.readPlaces" (list $ctx $workload) -}}
{{- $mounts := concat (fromJsonArray (include "kolla-pod.serviceMounts" $workload)) (fromJsonArray (include "kolla-pod.tlsMounts" (list $ctx $workload false))) -}}
{{- if not .isOffline -}}{{- $mounts = append $mounts (fromJson (include "kolla-pod.tokenMount" $ctx)) -}}{{- end -}}
{{- if ne $values.kollaPod.delivery "baked" -}}{{- $mounts = append $mounts (fromJson (include "kolla-pod.deliveryMount" $ctx)) -}}{{- end -}}
{{- $variables := deepCopy $workload.values.env -}}
{{- include "kolla-pod.lay" (list $variables (deepCopy .env)) -}}
{{- $env := fromJsonArray (include "kolla-pod.helperEnv" (list $ctx $variables)) -}}
{{- $container := dict "name" .name "image" (include "kolla-pod.image" (list $ctx $workload.values.image)) "imagePullPolicy" (include "kolla-pod.pullPolicy" (list $ctx $workload.values.image)) "command" .command "env" $env "securityContext" (fromJson (include "kolla-pod.restrictedContainer" $ctx)) "volumeMounts" $mounts -}}
{{- with $values.bootstrap.resources -}}{{- $_ := set $container "resources" . -}}{{- end -}}
{{- include "kolla-pod.podTemplate" (dict "ctx" $ctx "workload" $workload "component" .name "account" (ternary "default" (printf "%s-%s" $ctx.name (.account | default "bootstrap")) (.isOffline | default false)) "waits" .waits "containers" (list $container) "isWorkload" false "token" (not .isOffline) "clientOf" (hasKey .env "KOLLA_BOOTSTRAP_RABBITMQ_URL" | ternary (list "rabbitmq-management") list) "restartPolicy" "Never" "grace" $values.jobs.terminationGracePeriodSeconds) -}}
{{- end -}}

{{/*
The accounts of Jobs and of CronJobs, which stay as long as the release and so may change the Secrets of Keystone's
keys, but create none. Without rbac.create the Jobs of an upgrade use the Jobs' account, as the user's Roles are for it. In: context.
*/}}
{{- define "kolla-pod.jobAccess" -}}
{{- if .hasCron -}}
{{- $keys := fromJsonArray (include "kolla-pod.keyGrants" .) -}}
{{- include "kolla-pod.access" (list . (printf "%s-cron" .name) "cron" (fromJson (include "kolla-pod.roles" (list (uniq .cronWaits) .Release.Namespace $keys)))) -}}
{{- end -}}
{{- $upgrade := .Values.upgrade -}}
{{- if or .jobs (and .workloads (not .Values.rbac.create) (or $upgrade.needs $upgrade.restart.workloads $upgrade.prepare.command)) -}}
{{- include "kolla-pod.access" (list . (printf "%s-bootstrap" .name) "bootstrap" (fromJson (include "kolla-pod.jobRoles" (list . .jobWaits)))) -}}
{{- end -}}
{{- end -}}

{{/* In: context. Out: JSON. */}}
{{- define "kolla-pod.keyGrants" -}}
{{- $keys := list -}}
{{- range .Values.bootstrap.keys -}}
{{- $keys = append $keys (dict "namespace" $.Release.Namespace "group" "" "resource" "secrets" "name" . "verbs" (list "get" "update")) -}}
{{- end -}}
{{- toJson $keys -}}
{{- end -}}

{{/*
The rules of Jobs: the Lease, their waits, the objects read by contract and online, and Keystone's keys. In: list of context,
waits, and optional further grants. Out: JSON.
*/}}
{{- define "kolla-pod.jobRoles" -}}
{{- $waits := index . 1 -}}
{{- $grants := list -}}
{{- if gt (len .) 2 -}}{{- $grants = index . 2 -}}{{- end -}}
{{- with index . 0 -}}
{{- $own := .Release.Namespace -}}
{{- $sync := include "kolla-pod.dbSync" . -}}
{{- if and $sync .jobs -}}
{{- $grants = append $grants (dict "namespace" $own "group" "coordination.k8s.io" "resource" "leases" "verbs" (list "create")) -}}
{{- $grants = append $grants (dict "namespace" $own "group" "coordination.k8s.io" "resource" "leases" "name" (printf "kolla-db-sync-%s" $sync) "verbs" (list "get" "update" "watch")) -}}
{{- end -}}
{{- range .jobRollouts -}}
{{- $grants = append $grants (dict "namespace" $own "group" "apps" "resource" (printf "%ss" .kind) "name" .name "verbs" (list "watch")) -}}
{{- $revisions := ternary "replicasets" "controllerrevisions" (eq .kind "deployment") -}}
{{- $grants = append $grants (dict "namespace" $own "group" "apps" "resource" $revisions "verbs" (list "list" "watch")) -}}
{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "pods" "verbs" (list "list" "watch")) -}}
{{- end -}}
{{- if .Values.bootstrap.keys -}}
{{- $grants = append $grants (dict "namespace" $own "group" "" "resource" "secrets" "verbs" (list "create")) -}}
{{- $grants = concat $grants (fromJsonArray (include "kolla-pod.keyGrants" .)) -}}
{{- end -}}
{{- include "kolla-pod.roles" (list (uniq $waits) $own $grants) -}}
{{- end -}}
{{- end -}}

{{/* In: context. */}}
{{- define "kolla-pod.cronJobs" -}}
{{- $ctx := . -}}
{{- range $name, $cron := .Values.cron -}}
{{- if and $cron $ctx.workloads -}}
{{- $_ := set $ctx "hasCron" true -}}
{{- include "kolla-pod.checkLength" (list $ctx "name" (printf "%s-%s" $ctx.name $name) 52) -}}
{{- $of := dict -}}
{{- range $ctx.workloads -}}{{- if or (eq .key ($cron.workload | default "")) (and (not $cron.workload) (not $of)) -}}{{- $of = . -}}{{- end -}}{{- end -}}
{{- if not $of -}}{{- fail (printf "%s: cron.%s.workload: there is no workloads.%s" $ctx.Chart.Name $name $cron.workload) -}}{{- end -}}
{{- if not (and $cron.schedule $cron.command) -}}{{- fail (printf "%s: cron.%s: say schedule and command" $ctx.Chart.Name $name) -}}{{- end -}}
{{- $command := fromJsonArray (include "kolla-pod.commandWords" (list $ctx $cron.command (printf "cron.%s.command" $name))) -}}
{{- $waits := list -}}
{{- range $cron.needs -}}{{- $waits = append $waits (include "kolla-pod.openText" (list $ctx . (printf "cron.%s.needs" $name))) -}}{{- end -}}
{{- $template := fromJson (include "kolla-pod.jobPod" (dict "ctx" $ctx "of" $of "name" $name "command" $command "waits" $waits "env" ($cron.env | default dict) "account" "cron")) -}}
{{- $_ := set $ctx "cronWaits" (concat $ctx.cronWaits $waits) -}}
{{- $metadata := dict "name" (printf "%s-%s" $ctx.name $name) "namespace" $ctx.Release.Namespace "labels" (fromYaml (include "kolla-pod.labels" (list $ctx $name))) }}
---
{{ toYaml (dict "apiVersion" "batch/v1" "kind" "CronJob" "metadata" $metadata "spec" (dict "schedule" $cron.schedule "concurrencyPolicy" "Forbid" "jobTemplate" (dict "spec" (dict "backoffLimit" 0 "template" $template)))) }}
{{- end -}}
{{- end -}}
{{- end -}}
