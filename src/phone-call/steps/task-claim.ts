import type { CrmClient, TaskFields } from '../../crm/index.ts';
import { ClientError, IntegrationError, InvalidArgumentError, isSafeToRepeat } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { isMissingEndpoint } from '../../http/missing-endpoints.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { stepKey } from './step.ts';
import type { KeyedRequestOptions } from './step-report.ts';
import type { CallFacts, LogCallInput } from './task-fields.ts';
import { createStepQueue } from './step-queue.ts';

/** The state of the phone call's one Task. */
export type LoggedCall =
  | {
      readonly taskId: string;
      /** `unchanged`: it already said all of this, nothing was sent. */
      readonly task: 'created' | 'updated' | 'unchanged';
    }
  | {
      readonly taskId?: undefined;
      /** This CRM can't change a Task, so there is none yet. `finish` writes it, with these words. */
      readonly task: 'kept';
    };

/** The one Task of one phone call, shared by everything that logs it. */
export interface TaskClaim {
  /** The Task's id, once it is known. */
  readonly taskId: string | undefined;
  /** The words of the steps so far. */
  readonly known: LogCallInput | undefined;
  /**
   * Adds the facts of a step to the known ones, and makes the Task say all of them. Creates it if there is none yet,
   * updates it if it says less, and sends nothing otherwise. In a CRM that can't change a Task, the last step alone
   * creates it. Steps wait for each other.
   */
  write(crm: CrmClient, input: LogCallInput & CallFacts, options: WriteTaskOptions): Promise<LoggedCall>;
}

/** The fields of the Task, and the way to make it. */
export interface WriteTaskOptions extends RequestOptions {
  readonly toFields: (known: LogCallInput & CallFacts) => TaskFields;
  /** The phone call is over: a CRM that can't change a Task gets it now. */
  readonly isLast: boolean;
  /** Makes the Task; gives its id, and what it says. @defaultValue `crm.tasks.create` */
  readonly createTask?: ((fields: TaskFields, call: KeyedRequestOptions) => Promise<WrittenTask>) | undefined;
}

/** A Task of the CRM. */
export interface WrittenTask {
  readonly id: string;
  /** Its fields. */
  readonly fields: TaskFields;
}

/** The state of a phone call's Task from before, perhaps from another process. */
export interface TaskBefore {
  readonly taskId?: string | undefined;
  /** The words of steps that the Task may not have yet. */
  readonly logged?: LogCallInput | undefined;
}

/**
 * Makes the claim for one phone call. Give it to every step that logs the phone call, so that there is one Task. For
 * this process only; across processes the key `callId:task` does the same.
 */
export const createTaskClaim = ({ taskId, logged }: TaskBefore = {}): TaskClaim => {
  let known: LogCallInput | undefined = logged;
  let current: CurrentTask | undefined = taskId ? { id: taskId, fields: {}, ordinal: 1 } : undefined;
  let failed: FailedCreate | undefined;
  const queue = createStepQueue();

  const write: TaskClaim['write'] = async (crm, input, { toFields, createTask, isLast, ...call }) => {
    const create = async (wanted: TaskFields): Promise<CurrentTask> => {
      const next = nextCreate(wanted, failed, crm.tasks.canLookUp);
      const idempotencyKey = stepKey(input.callId, next.ordinal === 1 ? 'task' : `task:${next.ordinal}`);
      const make = createTask ?? (async (fields, own) => ({ id: (await crm.tasks.create(fields, own)).id, fields }));
      try {
        return { ...(await make(next.fields, { ...call, idempotencyKey })), ordinal: next.ordinal };
      } catch (error) {
        failed = { ...next, error, mayExist: mayExist(error, failed) };
        throw error;
      }
    };

    const merged = { ...input, ...known, ...withoutUndefined(input) };
    const wanted = toFields(merged);
    known = merged;
    if (current === undefined && !isLast && !crm.tasks.canUpdate) return { task: 'kept' };
    const isNew = current === undefined;
    const task = current ?? (await create(wanted));
    current = task;
    const changes = difference(task.fields, wanted);
    if (Object.keys(changes).length === 0) return { taskId: task.id, task: isNew ? 'created' : 'unchanged' };
    try {
      await crm.tasks.update(task.id, changes, call);
      current = { ...task, fields: wanted };
      return { taskId: task.id, task: isNew ? 'created' : 'updated' };
    } catch (error) {
      if (!isMissingEndpoint(error) || !crm.tasks.canUpdate) throw error;
      // The Task is gone: what is known by now is written to another.
      const { fields, ordinal } = task;
      if (failed === undefined || failed.ordinal <= ordinal) failed = { fields, ordinal, error, mayExist: false };
      current = await create(wanted);
      return { taskId: current.id, task: 'created' };
    }
  };

  return {
    get taskId() {
      return current?.id;
    },
    get known() {
      return known;
    },
    write: (crm, input, options) => queue.run('crm.tasks.create', () => write(crm, input, options), options),
  };
};

interface CurrentTask extends WrittenTask {
  /** The number of this Task within the phone call, for its key. */
  readonly ordinal: number;
}

interface FailedCreate {
  readonly fields: TaskFields;
  /** The number of different contents that were tried. */
  readonly ordinal: number;
  readonly error: unknown;
  /** The Task may have been made all the same. */
  readonly mayExist: boolean;
}

/**
 * Chooses the fields of the Task to make. If it may have been made already, exactly the same again: the key, or a
 * look-up by it, then brings its id. If it certainly wasn't, the fuller fields, under another key: a key belongs to one
 * content. Throws the earlier error when sending again could make a second Task.
 */
const nextCreate = (
  wanted: TaskFields,
  failed: FailedCreate | undefined,
  canLookUp: boolean,
): Pick<FailedCreate, 'fields' | 'ordinal'> => {
  if (!failed) return { fields: wanted, ordinal: 1 };
  if (failed.mayExist && !canLookUp && !isSafeToRepeat(failed.error)) throw failed.error;
  const isSame = Object.keys(difference(failed.fields, wanted)).length === 0;
  return failed.mayExist || isSame ? failed : { fields: wanted, ordinal: failed.ordinal + 1 };
};

/**
 * A later attempt that was not sent, or not checked, says nothing about an earlier one. A refusal of the key itself
 * means that another process, or another claim of this one, has made the Task, with other words.
 */
const mayExist = (error: unknown, before: FailedCreate | undefined): boolean => {
  if (!(error instanceof IntegrationError) || error.outcome === 'unknown') return true;
  if (error instanceof ClientError && (error.status === 409 || isAboutKey(error.details))) return true;
  if (error instanceof InvalidArgumentError && error.field === 'idempotencyKey') return true;
  const wasLookedAt = error instanceof ClientError && (error.status === 400 || error.status === 422);
  return !wasLookedAt && before !== undefined && before.mayExist;
};

const isAboutKey = (details: unknown): boolean => /idempoten/i.test(JSON.stringify(details) ?? '');

const difference = (before: TaskFields, after: TaskFields): TaskFields =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name as keyof TaskFields]));
