{{/*
Sets `Values` of the context: library < chart < globals.yml < its charts.NAME < the release's own. In: list of context and the
values that Helm has. A chart's defaults are in its defaults.yaml, not in values.yaml, with which Helm would mix those of the user.
*/}}
{{- define "kolla-pod.layValues" -}}
{{- $ctx := index . 0 -}}
{{- $given := index . 1 -}}
{{- $own := omit $given "global" "kolla-pod" -}}
{{- $chart := $ctx.Files.Get "defaults.yaml" | fromYaml -}}
{{- if hasKey $chart "Error" -}}{{- fail (printf "%s: defaults.yaml: %s" $ctx.Chart.Name $chart.Error) -}}{{- end -}}
{{- $library := index $given "kolla-pod" | default dict -}}
{{- $defaults := omit $library "global" "globalDefaults" -}}
{{- $values := deepCopy $defaults -}}
{{- $global := deepCopy $library.globalDefaults -}}
{{- /* Kept as given, since a null there removes a key of a lower layer. */ -}}
{{- $over := deepCopy ($given.global | default dict) -}}
{{- include "kolla-pod.lay" (list $global (deepCopy $over)) -}}
{{- include "kolla-pod.lay" (list $values (deepCopy $chart)) -}}
{{- include "kolla-pod.lay" (list $values (deepCopy (pick $over "kollaPod" "config" "logs" "jobs" "networkPolicy" "needsTimeout"))) -}}
{{- range $name := uniq (list $ctx.Chart.Name ($own.name | default $chart.name | default $ctx.Chart.Name)) -}}
{{- with get ($over.charts | default dict) $name -}}
{{- include "kolla-pod.lay" (list $values (deepCopy .)) -}}
{{- end -}}
{{- end -}}
{{- include "kolla-pod.lay" (list $values (deepCopy $own)) -}}
{{- $_ := set $ctx "defaults" $defaults -}}
{{- include "kolla-pod.restoreEmpty" (list $ctx $defaults $values "") -}}
{{- include "kolla-pod.restoreEmpty" (list $ctx $library.globalDefaults $global "global.") -}}
{{- range $key, $_ := $chart.settings -}}
{{- if not (hasKey $values.settings $key) -}}{{- include "kolla-pod.failRemoved" (list $ctx (printf "settings.%s" $key)) -}}{{- end -}}
{{- end -}}
{{- with $chart.settings.uwsgi -}}{{- include "kolla-pod.restoreEmpty" (list $ctx . $values.settings.uwsgi "settings.uwsgi.") -}}{{- end -}}
{{- include "kolla-pod.withoutNulls" $values.settings -}}
{{- $_ := set $ctx "name" ($values.name | default $ctx.Chart.Name) -}}
{{- $_ := set $values "global" $global -}}
{{- include "kolla-pod.readNumbers" (list $ctx $values "") -}}
{{- if not $values.service -}}{{- $_ := set $values "service" $ctx.Chart.Name -}}{{- end -}}
{{- if not $values.image.repository -}}{{- $_ := set $values.image "repository" $ctx.Chart.Name -}}{{- end -}}
{{- $_ := set $ctx "Values" $values -}}
{{- if not $values.release -}}{{- $_ := set $values "release" (include "kolla-pod.imageTag" (list $ctx dict)) -}}{{- end -}}
{{- end -}}

{{/*
Merges one map over another, in place: maps are merged, null removes a key, anything else is replaced, also by
false and empty values (which mergeOverwrite would ignore). In: list of the lower map and the upper one.
*/}}
{{- define "kolla-pod.lay" -}}
{{- $under := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $under $key -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $under $key)) -}}
{{- include "kolla-pod.lay" (list (get $under $key) $value) -}}
{{- else -}}
{{- $_ := set $under $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
For what null has removed, in place: a list, a map and what is empty by default are empty; for a number, a text or true there is no empty
value that works. In: list of context, the defaults, the merged map, and their place in the values.
*/}}
{{- define "kolla-pod.restoreEmpty" -}}
{{- $ctx := index . 0 -}}
{{- $values := index . 2 -}}
{{- $at := index . 3 -}}
{{- /* A workload without a PodDisruptionBudget has pdb: null. */ -}}
{{- range $key, $default := omit (index . 1) "pdb" -}}
{{- $place := printf "%s%s" $at $key -}}
{{- if kindIs "map" $default -}}
{{- if not (hasKey $values $key) -}}{{- $_ := set $values $key dict -}}{{- end -}}
{{- include "kolla-pod.restoreEmpty" (list $ctx $default (get $values $key) (printf "%s." $place)) -}}
{{- else if not (hasKey $values $key) -}}
{{- if and $default (not (kindIs "slice" $default)) -}}{{- include "kolla-pod.failRemoved" (list $ctx $place) -}}{{- end -}}
{{- $_ := set $values $key (kindIs "slice" $default | ternary list $default) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.failRemoved" -}}
{{- fail (printf "%s: %s: null removes it, and the chart needs it" (index . 0).Chart.Name (index . 1)) -}}
{{- end -}}

{{/* In place: drops keys that are null and that no lower layer had. In: map. */}}
{{- define "kolla-pod.withoutNulls" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $map $key -}}
{{- else if kindIs "map" $value -}}{{- include "kolla-pod.withoutNulls" $value -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/*
In place: Helm reads every number as a float, and a template would write 1000000 as 1e+06. Fails for null in a list: Helm fills with it what
`--set list[N]=` leaves out, since a list replaces that of a lower layer as a whole. In: list of context, map, and its place in the values.
*/}}
{{- define "kolla-pod.readNumbers" -}}
{{- $ctx := index . 0 -}}
{{- $map := index . 1 -}}
{{- $at := index . 2 -}}
{{- range $key, $value := $map -}}
{{- $place := printf "%s%s" $at $key -}}
{{- if kindIs "float64" $value -}}
{{- if eq (floor $value) $value -}}{{- $_ := set $map $key (int64 $value) -}}{{- end -}}
{{- else if kindIs "map" $value -}}
{{- include "kolla-pod.readNumbers" (list $ctx $value (printf "%s." $place)) -}}
{{- else if kindIs "slice" $value -}}
{{- $list := list -}}
{{- range $i, $item := $value -}}
{{- if kindIs "invalid" $item -}}{{- fail (printf "%s: %s[%d]: null in a list; a list is replaced as a whole, so give all of its items" $ctx.Chart.Name $place $i) -}}{{- end -}}
{{- $one := dict (toString $i) $item -}}
{{- include "kolla-pod.readNumbers" (list $ctx $one (printf "%s." $place)) -}}
{{- $list = append $list (get $one (toString $i)) -}}
{{- end -}}
{{- $_ := set $map $key $list -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The tag of an image. In: list of context and a workload's image values. */}}
{{- define "kolla-pod.imageTag" -}}
{{- $ctx := index . 0 -}}
{{- (index . 1).tag | default $ctx.Values.image.tag | default $ctx.Values.global.tag -}}
{{- end -}}

{{/* An image's reference; a tag that starts with sha256: is a digest. In: as above. */}}
{{- define "kolla-pod.image" -}}
{{- $ctx := index . 0 -}}
{{- $own := index . 1 -}}
{{- $registry := $own.registry | default $ctx.Values.image.registry | default $ctx.Values.global.registry -}}
{{- $repository := $own.repository | default $ctx.Values.image.repository -}}
{{- include "kolla-pod.reference" (list $registry $repository (include "kolla-pod.imageTag" .)) -}}
{{- end -}}

{{/* In: list of registry, repository and tag. */}}
{{- define "kolla-pod.reference" -}}
{{- $tag := index . 2 -}}
{{- printf "%s/%s%s%s" (index . 0 | trimSuffix "/") (index . 1) (hasPrefix "sha256:" $tag | ternary "@" ":") $tag -}}
{{- end -}}

{{/* The image with our binary. In: context. */}}
{{- define "kolla-pod.ownImage" -}}
{{- $image := .Values.kollaPod.image -}}
{{- $image.reference | default (include "kolla-pod.reference" (list .Values.global.registry $image.repository $image.tag)) -}}
{{- end -}}

{{/*
Fails for images that can't work: Kolla publishes its own without kolla-pod, and has no image of ours. In: context.
*/}}
{{- define "kolla-pod.checkImages" -}}
{{- $ctx := . -}}
{{- $kolla := "quay.io/openstack.kolla" -}}
{{- $registry := .Values.image.registry | default .Values.global.registry | trimSuffix "/" -}}
{{- $fix := "set global.kollaPod.image.reference to REGISTRY/REPOSITORY:TAG, where publish.sh of a release put the image" -}}
{{- if and (eq $registry $kolla) (eq .Values.kollaPod.delivery "baked") -}}
{{- fail (printf "%s: kollaPod.delivery: baked, but the images of %s do not contain kolla-pod; set global.kollaPod.delivery to copied, and %s" $ctx.Chart.Name $kolla (trimPrefix "set " $fix)) -}}
{{- end -}}
{{- if and (ne .Values.kollaPod.delivery "baked") (not .Values.kollaPod.image.reference) (eq (.Values.global.registry | trimSuffix "/") $kolla) -}}
{{- fail (printf "%s: global.kollaPod.image.reference is empty, and %s has no image of kolla-pod; %s" $ctx.Chart.Name $kolla $fix) -}}
{{- end -}}
{{- end -}}

{{- define "kolla-pod.pullPolicy" -}}
{{- $ctx := index . 0 -}}
{{- (index . 1).pullPolicy | default $ctx.Values.image.pullPolicy | default $ctx.Values.global.pullPolicy -}}
{{- end -}}

{{/* Path of one of our commands in the containers. In: list of context and name. */}}
{{- define "kolla-pod.program" -}}
{{- $ctx := index . 0 -}}
{{- if eq $ctx.Values.kollaPod.delivery "baked" -}}
{{- index . 1 -}}
{{- else -}}
{{- printf "/opt/kolla-pod/bin/%s" (index . 1) -}}
{{- end -}}
{{- end -}}

{{/* A command of values: our helpers by their paths, the other words as templates. In: list of context, command and its place. Out: JSON. */}}
{{- define "kolla-pod.commandWords" -}}
{{- $ctx := index . 0 -}}
{{- $place := index . 2 -}}
{{- $words := list -}}
{{- range $i, $word := index . 1 -}}
{{- $isOurs := and (eq $i 0) (hasPrefix "kolla-" $word) -}}
{{- $words = append $words ($isOurs | ternary (include "kolla-pod.program" (list $ctx $word)) (include "kolla-pod.openText" (list $ctx $word $place))) -}}
{{- end -}}
{{- toJson $words -}}
{{- end -}}

{{/* Labels of every object; quoted, since a release may be named 1 or on. In: list of context and component. */}}
{{- define "kolla-pod.labels" -}}
{{- $ctx := index . 0 -}}
{{ include "kolla-pod.selector" . }}
app.kubernetes.io/managed-by: {{ $ctx.Release.Service | quote }}
app.kubernetes.io/part-of: openstack
app.kubernetes.io/version: {{ include "kolla-pod.versionLabel" $ctx | quote }}
helm.sh/chart: {{ printf "%s-%s" $ctx.Chart.Name $ctx.Chart.Version | replace "+" "_" | quote }}
{{- end -}}

{{- define "kolla-pod.selector" -}}
{{- $ctx := index . 0 -}}
app.kubernetes.io/name: {{ $ctx.Chart.Name | quote }}
app.kubernetes.io/instance: {{ $ctx.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 | quote }}
{{- end -}}

{{/* The release as a valid label. */}}
{{- define "kolla-pod.versionLabel" -}}
{{- regexReplaceAll "[^A-Za-z0-9_.-]+" (.Values.release | toString | replace "+" "_") "-" | trunc 63 | trimAll "-_." -}}
{{- end -}}

{{/*
Rejects a name that Kubernetes would reject after a partial installation. In: list of context, the value to
shorten, name, maximum length in bytes.
*/}}
{{- define "kolla-pod.checkLength" -}}
{{- $name := index . 2 -}}
{{- if gt (len $name) (index . 3) -}}
{{- fail (printf "%s: %s: %s has %d characters, and Kubernetes takes %d there; take a shorter one" (index . 0).Chart.Name (index . 1) $name (len $name) (index . 3)) -}}
{{- end -}}
{{- end -}}

{{/* A short hash of a text, for names. */}}
{{- define "kolla-pod.hash" -}}
{{- sha256sum . | trunc 10 -}}
{{- end -}}

{{/* A file name as a part of an object's name. */}}
{{- define "kolla-pod.slug" -}}
{{- regexReplaceAll "[^a-z0-9]+" (lower .) "-" | trimAll "-" -}}
{{- end -}}

{{/*
Metadata of objects with their hash in the name: Helm keeps old versions, which Pods of an old release may still
need.
*/}}
{{- define "kolla-pod.kept" -}}
{{- toJson (dict "labels" (dict "kolla-pod/versioned" "true") "annotations" (dict "helm.sh/resource-policy" "keep")) -}}
{{- end -}}
