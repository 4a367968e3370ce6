# Waits for a Job. Sourced by the scripts of k8s, which have in_frond: kubectl in Frond's namespace.
# shellcheck shell=bash

# shellcheck source=k8s/lib/why.sh
. "$(dirname "${BASH_SOURCE[0]}")/why.sh"

# A job's state: true conditions | active pods | done | wanted | failed | why it failed.
job_state='jsonpath={.status.conditions[?(@.status=="True")].type}|{.status.active}|{.status.succeeded}|{.spec.completions}|{.status.failed}|{.status.conditions[?(@.type=="Failed")].message}'

# Waits until the Job $1 ends, and tells how it goes; fails if it fails, or if none of its pods runs for START_TIMEOUT (600)
# seconds. Tolerates an API server that does not answer for a minute.
finish() {
  local job=$1 now pods conditions active succeeded wanted failed reason running line told='' away=0 progress='' since=$SECONDS
  while :; do
    sleep "${POLL_SECONDS:-2}"
    if ! now=$(in_frond get "job/$job" -o "$job_state") || ! pods=$(tell_pods "job-name=$job"); then
      [ $((++away)) -lt 30 ] || return 1
      continue
    fi
    away=0
    IFS='|' read -r conditions active succeeded wanted failed reason <<<"$now"
    running=$(grep -c $'\truns\t' <<<"$pods" || true)
    line="$job: $running running, $((${active:-0} > running ? ${active:-0} - running : 0)) waiting, ${succeeded:-0} of $wanted done, ${failed:-0} failed"
    [ "$line" = "$told" ] || echo "$line" >&2
    told=$line
    tell_trouble "$pods"
    case " $conditions " in
      *" Complete "*) break ;;
      *" Failed "*)
        in_frond logs "job/$job" --tail=20 >&2 || true
        echo "k8s/${0##*/}: $job failed${reason:+: $reason}" >&2
        return 1
        ;;
    esac
    if [ "$running" != 0 ] || [ "$progress" != "${succeeded:-0}" ]; then since=$SECONDS; fi
    progress=${succeeded:-0}
    if [ $((SECONDS - since)) -ge "${START_TIMEOUT:-600}" ]; then
      reason=$(last_warning "$job")
      echo "k8s/${0##*/}: no pod of $job has run for ${START_TIMEOUT:-600} s${reason:+; $reason}" >&2
      return 1
    fi
  done
}
