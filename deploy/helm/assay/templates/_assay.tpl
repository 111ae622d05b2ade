{{/* Names and pods that the templates share. */}}

{{- define "assay.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{/* The labels that select a pod; takes (list . component). */}}
{{- define "assay.selector" -}}
{{- $root := first . -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ (first .).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (first .).Release.Service }}
helm.sh/chart: {{ (first .).Chart.Name }}-{{ (first .).Chart.Version }}
{{- end }}

{{/* Whether a secret of tokens is mounted. */}}
{{- define "assay.hasTokens" -}}
{{- and (not .Values.access.insecureNoAuth) (ne .Values.access.tokensSecret.name "") -}}
{{- end }}

{{/* The secret with the certificate; empty without TLS. */}}
{{- define "assay.tlsSecret" -}}
{{- with .Values.tls -}}
{{- if .secretName }}{{ .secretName }}{{ else if .certManager.issuer.name }}{{ include "assay.name" $ }}-tls{{ end -}}
{{- end -}}
{{- end }}

{{- define "assay.scheme" -}}
{{- if include "assay.tlsSecret" . }}https{{ else }}http{{ end -}}
{{- end }}

{{/* The service that clients of the API, and those of OTLP of a single instance, call. */}}
{{- define "assay.service" -}}
{{- include "assay.name" . }}{{ if eq .Values.mode "cluster" }}-api{{ end -}}
{{- end }}

{{/* Names of all services, with and without the namespace and its domain, as a YAML list. */}}
{{- define "assay.serviceNames" -}}
{{- $services := list (include "assay.service" .) -}}
{{- if and (eq .Values.mode "cluster") .Values.gateway.enabled -}}
{{- $services = append $services (printf "%s-gateway" (include "assay.name" .)) -}}
{{- end -}}
{{- $pods := printf "*.%s-pods.%s.svc" (include "assay.name" .) .Release.Namespace -}}
{{- $names := list -}}
{{- range $services -}}
{{- $full := printf "%s.%s.svc" . $.Release.Namespace -}}
{{- $names = concat $names (list $full . (printf "%s.%s" . $.Release.Namespace) (printf "%s.cluster.local" $full)) -}}
{{- end -}}
{{- concat $names (list $pods (printf "%s.cluster.local" $pods) "localhost") | toYaml -}}
{{- end }}

{{- define "assay.serverName" -}}
{{- with .Values.tls -}}
{{- .serverName | default (first .certManager.dnsNames) | default (printf "%s.%s.svc" (include "assay.service" $) $.Release.Namespace) -}}
{{- end -}}
{{- end }}

{{/* How an endpoint of a monitor is scraped: its scheme, and its token. */}}
{{- define "assay.scraping" -}}
{{- with include "assay.tlsSecret" . }}
scheme: https
tlsConfig:
  serverName: {{ include "assay.serverName" $ }}
  {{- with $.Values.tls.caKey }}
  ca:
    secret: { name: {{ include "assay.tlsSecret" $ }}, key: {{ . }} }
  {{- end }}
{{- end }}
{{- if and (not .Values.access.insecureNoAuth) .Values.access.prometheusSecret.name }}
authorization:
  credentials: { name: {{ .Values.access.prometheusSecret.name }}, key: {{ .Values.access.prometheusSecret.key }} }
{{- end }}
{{- end }}

{{/* assay.yaml: the values, merged over the chart's own needs. */}}
{{- define "assay.config" -}}
{{- $own := dict "data_dir" "/data" -}}
{{- if .Values.access.insecureNoAuth -}}
{{- $_ := set $own "access" (dict "insecure_no_auth" true) -}}
{{- else if .Values.access.tokensSecret.name -}}
{{- $_ := set $own "access" (dict "tokens_file" "/etc/assay-access/tokens.json") -}}
{{- end -}}
{{- if include "assay.tlsSecret" . -}}
{{- $tls := dict "cert_file" "/etc/assay-tls/tls.crt" "key_file" "/etc/assay-tls/tls.key" -}}
{{- if .Values.tls.clientCa.secretName -}}
{{- $_ := set $tls "client_ca_file" "/etc/assay-tls-clients/ca.crt" -}}
{{- end -}}
{{- $_ := set $own "tls" $tls -}}
{{- else if .Values.tls.clientCa.secretName -}}
{{- fail "tls.clientCa: clients show certificates only over TLS; set tls.secretName or tls.certManager.issuer.name as well" -}}
{{- end -}}
{{- if eq .Values.mode "cluster" -}}
{{- $_ := set $own "journal" (dict "max_bytes" "4GiB") -}}
{{- if .Values.storeSecret.name -}}
{{- $_ := set $own "store" (dict "password_file" "/etc/assay-store/password") -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite $own (deepCopy .Values.config)) -}}
{{- end }}

{{/* The common parts of the pods of all workloads; takes (list . component). */}}
{{- define "assay.podMetadata" -}}
labels:
  {{- include "assay.selector" . | nindent 2 }}
annotations:
  {{- $root := first . }}
  # A changed configuration restarts the pods.
  checksum/config: {{ include (print $root.Template.BasePath "/config.yaml") $root | sha256sum }}
  {{- if not (or $root.Values.podMonitor.enabled $root.Values.serviceMonitor.enabled) }}
  prometheus.io/scrape: 'true'
  prometheus.io/port: '4319'
  prometheus.io/path: /metrics
  prometheus.io/scheme: {{ include "assay.scheme" $root }}
  {{- end }}
  {{- with $root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "assay.podSpec" -}}
{{- $root := first . -}}
# Stopping takes at most 20 seconds for work in flight, and some time for leaving; unfinished work is done again.
terminationGracePeriodSeconds: 60
automountServiceAccountToken: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  # Avoids walking through a large store at each start.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "assay.spread" -}}
topologySpreadConstraints:
  {{- $selector := include "assay.selector" . }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}

{{/* The container, up to its ports; takes (list . environment), with the variables that the role sets. */}}
{{- define "assay.container" -}}
{{- $root := first . -}}
{{- $scheme := ternary ", scheme: HTTPS" "" (eq (include "assay.scheme" $root) "https") -}}
name: assay
image: {{ printf "%s:%s" $root.Values.image.repository ($root.Values.image.tag | default $root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
env:
  - name: ASSAY_CONFIG
    value: /etc/assay/assay.yaml
  # The same name after a restart, so that counters continue.
  - name: ASSAY_INSTANCE
    valueFrom: { fieldRef: { fieldPath: metadata.name } }
  {{- range $name, $value := index . 1 }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- with $root.Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
# Checks that the process runs. Its dependencies may be away, and a restart would not bring them back.
livenessProbe:
  httpGet: { path: /healthz, port: http{{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
# Checks that OTLP is accepted and scoring works.
readinessProbe:
  httpGet: { path: /readyz, port: http{{ $scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
# Waits until the process answers at all. That is before the journal is read again or the shared store is available,
# because a long wait for these is no reason for a restart.
startupProbe:
  httpGet: { path: /healthz, port: http{{ $scheme }} }
  periodSeconds: 5
  failureThreshold: 120
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: config, mountPath: /etc/assay, readOnly: true }
  {{- if eq (include "assay.hasTokens" $root) "true" }}
  - { name: access, mountPath: /etc/assay-access, readOnly: true }
  {{- end }}
  {{- if include "assay.tlsSecret" $root }}
  - { name: tls, mountPath: /etc/assay-tls, readOnly: true }
  {{- if $root.Values.tls.clientCa.secretName }}
  - { name: tls-clients, mountPath: /etc/assay-tls-clients, readOnly: true }
  {{- end }}
  {{- end }}
  {{- if eq $root.Values.mode "cluster" }}
  {{- if $root.Values.storeSecret.name }}
  - { name: store, mountPath: /etc/assay-store, readOnly: true }
  {{- end }}
  {{- if $root.Values.kafkaSecret }}
  - { name: kafka, mountPath: /etc/assay-kafka, readOnly: true }
  {{- end }}
  {{- end }}
{{- end }}

{{/* All volumes but `data`. */}}
{{- define "assay.volumes" -}}
- name: config
  configMap: { name: {{ include "assay.name" . }}-config }
{{- if eq (include "assay.hasTokens" .) "true" }}
- name: access
  secret:
    secretName: {{ .Values.access.tokensSecret.name }}
    items: [{ key: {{ .Values.access.tokensSecret.key }}, path: tokens.json }]
{{- end }}
{{- with include "assay.tlsSecret" . }}
- name: tls
  secret: { secretName: {{ . }} }
{{- with $.Values.tls.clientCa }}
{{- if .secretName }}
- name: tls-clients
  secret:
    secretName: {{ .secretName }}
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}
{{- end }}
{{- end }}
{{- if eq .Values.mode "cluster" }}
{{- with .Values.storeSecret }}
{{- if .name }}
- name: store
  secret:
    secretName: {{ .name }}
    items: [{ key: {{ .key }}, path: password }]
{{- end }}
{{- end }}
{{- with .Values.kafkaSecret }}
- name: kafka
  secret: { secretName: {{ . }} }
{{- end }}
{{- end }}
{{- end }}

{{/* A generated file with its links replaced; takes (list . path). */}}
{{- define "assay.linked" -}}
{{- $links := (first .).Values.links -}}
{{- (first .).Files.Get (index . 1) | replace "http://localhost:3000" $links.grafana | replace "http://localhost:4319/runbooks/" (printf "%s/runbooks/" (default $links.assay $links.docs)) | replace "http://localhost:4319" $links.assay -}}
{{- end }}
