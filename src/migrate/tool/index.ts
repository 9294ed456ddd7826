/**
 * The commands of a service's own tool before its first start, in addition to the schema migration: Nova's cells,
 * Glance's metadata definitions, Keystone's first admin.
 *
 *   tasks of the service (catalog/) -> settings, variables and options of its configuration filled in (find-tasks.ts)
 *     -> each checked: the tool's own listing, or our record of the release -> differences as data (plan-tool.ts)
 *     -> with the lock: checked once more, its steps run like a migration's, checked again, recorded (ensure-tool.ts)
 *
 * Idempotent. Values are passed to the tool in its environment: no secret is in an argv, and listings are never logged.
 * Errors: options and files (64, 65), duplicates that only a person can resolve, a tool that exits with 0 without
 * effect (69), and the tool itself, whose exit code becomes ours.
 */
export { ensureTool } from './ensure-tool.ts';
export { findTasks, type TaskSources } from './find-tasks.ts';
export { TOOL_OPTIONS } from './options.ts';
export { planTool, type ToolChange } from './plan-tool.ts';
export type { Task } from './task.ts';
