import type { ToolResult } from '../result.ts';

/**
 * Whether a provider is told that the tool call went wrong. A payment of which nobody knows the end did not: a model
 * that sees the flag says that it failed.
 */
export const isErrorResult = ({ status }: ToolResult): boolean => status !== 'done' && status !== 'unknown';
