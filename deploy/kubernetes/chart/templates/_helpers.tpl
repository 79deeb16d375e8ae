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

{{/* Arguments besides those of files/daemonset.yaml, as a list in YAML. */}}
{{- define "pyperf-bpf.arguments" -}}
{{- range $name, $value := .Values.options }}
{{- if kindIs "slice" $value }}
- {{ printf "--%s=%s" $name (join "," $value) | quote }}
{{- else if kindIs "bool" $value }}
{{- if $value }}
- {{ printf "--%s" $name | quote }}
{{- end }}
{{- else if kindIs "float64" $value }}
- {{ printf "--%s=%s" $name (toJson $value) | quote }}
{{- else if not (kindIs "invalid" $value) }}
- {{ printf "--%s=%v" $name $value | quote }}
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
