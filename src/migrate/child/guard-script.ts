/**
 * The guard's side of guarded-child.ts, for any POSIX shell. Input lines:
 *
 *   GROUP    first: the command's process group; replies `watching`
 *   SECONDS  the lock was confirmed: without another line within that time it prints `expired` and kills the group.
 *            In this order: the parent sees the group's end and sends `over`, which ends the waiter, maybe before it prints
 *   over     the command has exited
 *
 * When the input ends without `over`, the helper is dead: the group is killed.
 *
 * Each line replaces the waiter. The waiter is killed by its pid, which is reliable; its `sleep`, then an orphan, by a
 * signal to the guard's own group, which is only cleanup. None of them may hold descriptor 3, the lock's socket.
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

/** Printed by the guard before it kills the group because no confirmation has come. */
export const EXPIRED = 'expired';

/** Executes the command on request, and exits if its parent has exited. */
export const GATE = 'read -r go <&3 && exec 3<&- && exec "$@"';
