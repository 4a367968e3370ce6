# Why pods wait, or have failed. Sourced by the scripts of k8s, which have in_frond: kubectl in Frond's namespace.
# shellcheck shell=bash

# For each pod that is not being deleted: name, tab, phase, tab, facts, \x1e. A fact is a state (`waits`, `failed`, or empty
# if the phase is the state), \x1d, its name, \x1d, a message of one or more lines (the end of a container's log), \x1f.
# shellcheck disable=SC2016 # a Go template
pods_template='{{define "end"}}{{.reason}}, exit code {{.exitCode}}{{"\x1d"}}{{with .message}}{{.}}{{end}}{{"\x1f"}}{{end}}
{{- define "container"}}
{{- with .state}}
{{- with .waiting}}waits{{"\x1d"}}{{.reason}}{{"\x1d"}}{{with .message}}{{.}}{{end}}{{"\x1f"}}{{end}}
{{- with .terminated}}{{if ne (print .exitCode) "0"}}failed{{"\x1d"}}{{template "end" .}}{{end}}{{end}}
{{- end}}
{{- with .lastState}}{{with .terminated}}{{"\x1d"}}before: {{template "end" .}}{{end}}{{end}}
{{- end}}
{{- range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}}{{"\t"}}{{.status.phase}}{{"\t"}}
{{- with .status}}
{{- if .reason}}{{"\x1d"}}{{.reason}}{{"\x1d"}}{{with .message}}{{.}}{{end}}{{"\x1f"}}{{end}}
{{- range .conditions}}{{if and (eq .type "PodScheduled") (eq .status "False")}}waits{{"\x1d"}}{{.reason}}{{"\x1d"}}{{with .message}}{{.}}{{end}}{{"\x1f"}}{{end}}{{end}}
{{- range .initContainerStatuses}}{{template "container" .}}{{end}}
{{- range .containerStatuses}}{{template "container" .}}{{end}}
{{- end}}{{"\x1e"}}{{end}}{{end}}'
# shellcheck disable=SC2016 # a Go template
warnings_template='{{range .items}}{{.reason}}: {{.message}}{{"\x1e"}}{{end}}'

# The last warning recorded about an object of this name, on one line; nothing if there is none.
last_warning() {
  local text warning=
  while IFS= read -r -d $'\x1e' text; do warning=$text; done < <(in_frond get events --sort-by=.metadata.creationTimestamp \
    --field-selector "type=Warning,involvedObject.name=$1" -o go-template="$warnings_template")
  printf '%s' "${warning//$'\n'/ }"
}

# The pods that a selector matches, a line each: name, tab, state, tab, why. The state is `runs`, `ended`, `starts` (no
# problem so far), `waits` or `failed`; why is the last line of its message that is not blank. Fails if kubectl fails.
tell_pods() {
  local pods name phase facts fact state what message of_fact why
  pods=$(in_frond get pods --selector "$1" -o go-template="$pods_template") || return
  while IFS=$'\t' read -r -d $'\x1e' name phase facts; do
    case $phase in Running) state=runs ;; Succeeded) state=ended ;; Failed) state=failed ;; *) state=starts ;; esac
    why=
    while IFS= read -r -d $'\x1f' fact; do
      of_fact=${fact%%$'\x1d'*} message=${fact##*$'\x1d'}
      what=${fact#*$'\x1d'} what=${what%$'\x1d'*}
      # Every pod has this state while it starts; the reason why it does not start is in an event.
      if [[ $what$message =~ ^(ContainerCreating|PodInitializing)$ ]]; then
        message=$(last_warning "$name")
        [ -n "$message" ] || continue
      fi
      message=${message%"${message##*[![:space:]]}"} message=${message##*$'\n'}
      why+=${why:+; }$what${message:+: $message}
      state=${of_fact:-$state}
    done <<<"$facts"
    printf '%s\t%s\t%s\n' "$name" "$state" "$why"
  done <<<"$pods"
}

# Shows the pods that wait or have failed in what tell_pods printed ($1); each problem once.
declare -A shown_trouble=()
tell_trouble() {
  local line
  while IFS= read -r line; do
    [ -n "${shown_trouble[$line]-}" ] || echo "  ${line//$'\t'/ }" >&2
    shown_trouble[$line]=shown
  done < <(grep -E $'\t(waits|failed)\t' <<<"$1")
}
