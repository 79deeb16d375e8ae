{{/* SPDX-License-Identifier: GPL-2.0-only */}}

{{- define "pyperf-bpf.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}
{{- else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* An object of files/, in the release's namespace. */}}
{{- define "pyperf-bpf.object" -}}
{{- $o := fromYaml .text -}}
{{- $_ := set $o.metadata "namespace" .namespace -}}
{{- toYaml $o -}}
{{- end -}}

{{/* The value of an option as one text; "yes" is a flag. Nothing: it is not given. */}}
{{- define "pyperf-bpf.value" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if kindIs "bool" . }}{{ ternary "yes" "" . }}
{{- else if kindIs "float64" . }}{{ toJson . }}
{{- else if not (kindIs "invalid" .) }}{{ . }}
{{- end }}
{{- end -}}

{{/*
The names of options that change without a restart, as a list in YAML: those that SIGHUP changes
(user/options/options.def). With some others the rate is settled at the start, and so is whether there is a
budget at all, and an interval that nobody pushes.
*/}}
{{- define "pyperf-bpf.live" -}}
- namespace
- pod
- container
- comm
- cgroup
- exclude-comm
- exclude-cgroup
- push-format
- push-timeout
- quiet
- verbose
{{- $events := printf ",%s," (include "pyperf-bpf.value" .Values.options.event) }}
{{- if not (or .Values.options.log (regexMatch ",(wall|loop)," $events)) }}
- frequency
{{- end }}
{{- $budget := include "pyperf-bpf.value" .Values.options.budget }}
{{- if not (regexMatch "^0*[.]?0*%?$" (default "1" $budget)) }}
- budget
{{- end }}
{{- if .Values.push.url }}
- interval
{{- end }}
{{- end -}}

{{/* Arguments besides those of files/daemonset.yaml, as a list in YAML. */}}
{{- define "pyperf-bpf.arguments" -}}
{{- $live := include "pyperf-bpf.live" . | fromYamlArray }}
{{- range $name, $value := .Values.options }}
{{- $text := include "pyperf-bpf.value" $value }}
{{- if has $name $live }}
{{- else if and (kindIs "bool" $value) $value }}
- {{ printf "--%s" $name | quote }}
{{- else if $text }}
- {{ printf "--%s=%s" $name $text | quote }}
{{- end }}
{{- end }}
{{- with .Values.push }}
{{- if .url }}
- {{ printf "--push=%s" .url | quote }}
{{- end }}
{{- if .headerSecret }}
- --push-header-file=/var/run/secrets/push/{{ .headerKey }}
{{- end }}
{{- end }}
{{- with .Values.listenToken }}
{{- if .secret }}
- --listen-token-file=/var/run/secrets/listen/{{ .key }}
{{- end }}
{{- end }}
{{- with .Values.podLabels }}
{{- if .names }}
- {{ printf "--pod-label=%s" (join "," .names) | quote }}
- --kubelet=https://$(NODE_ADDRESS):{{ .kubeletPort }}
- --kubelet-token-file=/var/run/secrets/pyperf-bpf/token
{{- if .verifyKubelet }}
- --kubelet-ca-file=/var/run/secrets/pyperf-bpf/ca.crt
{{- else }}
- --kubelet-insecure-tls
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Volumes besides, and where each is mounted: {name, mountPath, and the volume}, as a list in YAML. */}}
{{- define "pyperf-bpf.volumes" -}}
{{- if .Values.podLabels.names }}
- mountPath: /var/run/secrets/pyperf-bpf
  volume:
    name: token
    projected:
      sources:
        - serviceAccountToken:
            path: token
            expirationSeconds: 3600
        - configMap:
            name: kube-root-ca.crt
            items:
              - key: ca.crt
                path: ca.crt
{{- end }}
{{- with .Values.push }}
{{- if .headerSecret }}
- mountPath: /var/run/secrets/push
  volume:
    name: push
    secret:
      secretName: {{ .headerSecret }}
{{- end }}
{{- end }}
{{- with .Values.listenToken }}
{{- if .secret }}
- mountPath: /var/run/secrets/listen
  volume:
    name: listen
    secret:
      secretName: {{ .secret }}
{{- end }}
{{- end }}
{{- end -}}
