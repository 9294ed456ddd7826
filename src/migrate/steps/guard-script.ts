/**
 * The guard's side of guarded-child.ts, for any POSIX shell. Its input, a line each:
 *   GROUP    first: the command's process group, on which it says `watching`
 *   SECONDS  the lock was confirmed: without another line within that time it says `expired`, and the group is killed.
 *            In this order: who sees the group's end says `over`, which ends the waiter, maybe before its word
 *   over     the command has ended
 * When the input ends without `over`, the helper is dead: the group is killed.
 *
 * A waiter is replaced by the next line. It is killed by its pid, which can't miss; its `sleep`, an orphan then, by a
 * signal to the guard's own group, which only tidies up. None of them may hold descriptor 3, the lock's socket.
 */
export const GUARD = `trap '' TERM INT HUP
trap : USR1
waiter=
rest() { [ -z "$waiter" ] || kill -KILL "$waiter"; kill -USR1 0; }
read -r group || exit 0
echo watching
while read -r word; do
  rest
  [ "$word" = over ] && exit 0
  (sleep "$word" >/dev/null && { trap '' PIPE; echo expired; kill -KILL "-$group"; }) </dev/null 3>&- &
  waiter=$!
done
kill -KILL "-$group"
rest`;

/** What the guard says before it kills the group because no confirmation came. */
export const EXPIRED = 'expired';

/** Becomes the command when it is told to; ends when its parent is gone. */
export const GATE = 'read -r go <&3 && exec 3<&- && exec "$@"';
