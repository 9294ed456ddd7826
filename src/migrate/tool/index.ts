/**
 * What a service's own tool does before its first start, beside the schema: Nova's cells, Glance's metadata definitions,
 * Keystone's first admin.
 *
 *   tasks of the service (services/) -> settings, variables and the options of its configuration filled in (find-tasks.ts)
 *     -> each looked at: the tool's own listing, or our record of the release -> what differs, as data (plan-tool.ts)
 *     -> under the lock: looked at once more, its steps run as a migration's are, looked at again, recorded (ensure-tool.ts)
 *
 * A second run changes nothing. Values reach the tool by its environment: no secret stands in an argv, and of a listing
 * nothing is ever logged. What can fail: options and files (64, 65), a thing that is there twice and only a person can judge,
 * a tool that ends with 0 and has done nothing (69), and the tool itself, whose exit code is ours.
 */
export { ensureTool } from './ensure-tool.ts';
export { findTasks, type TaskSources } from './find-tasks.ts';
export { TOOL_OPTIONS } from './options.ts';
export { planTool, type ToolChange } from './plan-tool.ts';
export type { Task } from './task.ts';
