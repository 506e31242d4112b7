import { type Clock, systemClock } from '../clock.ts';
import type { CrmClient, TaskFields } from '../crm/index.ts';
import { isClientError, isIntegrationError, isInvalidArgumentError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { isMissingEndpoint } from './missing-endpoint.ts';
import { isSafeToRepeat } from './safe-to-repeat.ts';
import { stepKey } from './step-key.ts';
import type { LogCallInput } from './task-fields.ts';
import { createTurns } from './turns.ts';

/** What became of the phone call's one Task. */
export interface LoggedCall {
  readonly taskId: string;
  /** `unchanged`: it already said all of this, nothing was sent. */
  readonly task: 'created' | 'updated' | 'unchanged';
}

/** The one Task of one phone call, shared by everything that logs it. */
export interface TaskClaim {
  /** The Task's id, once it is known. */
  readonly taskId: string | undefined;
  /**
   * Adds what the asker knows to what is known already, and makes the Task say all of it: creates it if there is none
   * yet, updates it if it says less, and sends nothing otherwise. Askers wait for each other.
   */
  write(
    crm: CrmClient,
    input: LogCallInput,
    toFields: (known: LogCallInput) => TaskFields,
    call: RequestOptions,
  ): Promise<LoggedCall>;
}

/** Which Task the phone call has already. */
export interface TaskClaimOptions {
  /** Of a Task that was made elsewhere: it is only updated. */
  readonly taskId?: string | undefined;
  /** @defaultValue the machine's own time */
  readonly clock?: Clock | undefined;
}

/**
 * Makes the claim for one phone call. Give it to every step that logs the phone call, so that there is one Task. For
 * this process only; across processes the key `callId:task` does the same.
 *
 * @example
 * const task = createTaskClaim();
 * const { related } = await qualifyLead({ crm }, { ...facts, lead }, { task });
 * await logCall({ crm }, { ...facts, ...related, durationSeconds: 312 }, { task }); // updates the same Task
 */
export const createTaskClaim = ({ taskId, clock = systemClock }: TaskClaimOptions = {}): TaskClaim => {
  let known: LogCallInput | undefined;
  let standing: StandingTask | undefined = taskId ? { id: taskId, fields: {}, ordinal: 1 } : undefined;
  let failed: FailedCreate | undefined;
  const turns = createTurns({ clock });

  const create = async (
    crm: CrmClient,
    callId: string,
    wanted: TaskFields,
    call: RequestOptions,
  ): Promise<StandingTask> => {
    const next = nextCreate(wanted, failed);
    const idempotencyKey = stepKey(callId, next.ordinal === 1 ? 'task' : `task:${next.ordinal}`);
    try {
      const { id, WhoId } = await crm.tasks.create(next.fields, { ...call, idempotencyKey });
      // Made together with its lead, it is told only now whom it is about.
      const fields = typeof WhoId === 'string' ? { ...next.fields, WhoId } : next.fields;
      return { id, fields, ordinal: next.ordinal };
    } catch (error) {
      failed = { ...next, error, mayStand: mayStand(error, failed) };
      throw error;
    }
  };

  const writeNext: TaskClaim['write'] = async (crm, input, toFields, call) => {
    const merged = merge(known, input);
    const wanted = toFields(merged);
    known = merged;
    const isNew = standing === undefined;
    const task = standing ?? (await create(crm, input.callId, wanted, call));
    standing = task;
    const changes = difference(task.fields, wanted);
    const isComplete = Object.keys(changes).length === 0;
    if (isComplete) return { taskId: task.id, task: isNew ? 'created' : 'unchanged' };
    try {
      await crm.tasks.update(task.id, changes, call);
      standing = { ...task, fields: wanted };
      return { taskId: task.id, task: isNew ? 'created' : 'updated' };
    } catch (error) {
      if (!isMissingEndpoint(error)) throw error;
      // The Task is gone, or the CRM can't update one: what is known by now is written to another.
      const { fields, ordinal } = task;
      if (failed === undefined || failed.ordinal <= ordinal) failed = { fields, ordinal, error, mayStand: false };
      standing = await create(crm, input.callId, wanted, call);
      return { taskId: standing.id, task: 'created' };
    }
  };

  return {
    get taskId() {
      return standing?.id;
    },
    write: (crm, input, toFields, call) =>
      turns.take('crm.tasks.create', () => writeNext(crm, input, toFields, call), call),
  };
};

interface StandingTask {
  readonly id: string;
  /** What it says. */
  readonly fields: TaskFields;
  /** Which of the phone call's Tasks it is, for its key. */
  readonly ordinal: number;
}

interface FailedCreate {
  readonly fields: TaskFields;
  /** How many different contents were tried. */
  readonly ordinal: number;
  readonly error: unknown;
  /** The Task may have been made all the same. */
  readonly mayStand: boolean;
}

/**
 * What to send for the Task to be made. If it may have been made already, exactly the same again: the key then brings
 * its id. If it certainly was not, the fuller fields, under another key, since a key stands for one content.
 * Throws the earlier error when sending again could make a second Task.
 */
const nextCreate = (wanted: TaskFields, failed: FailedCreate | undefined): Pick<FailedCreate, 'fields' | 'ordinal'> => {
  if (!failed) return { fields: wanted, ordinal: 1 };
  if (failed.mayStand && !isSafeToRepeat(failed.error)) throw failed.error;
  const isSame = Object.keys(difference(failed.fields, wanted)).length === 0;
  return failed.mayStand || isSame ? failed : { fields: wanted, ordinal: failed.ordinal + 1 };
};

/**
 * A later attempt that was not sent, or not looked at, says nothing about an earlier one. A refusal of the key itself
 * means that another process, or another claim of this one, has made the Task, with other words.
 */
const mayStand = (error: unknown, before: FailedCreate | undefined): boolean => {
  if (!isIntegrationError(error) || error.outcome === 'unknown') return true;
  if (isClientError(error) && (error.status === 409 || isAboutKey(error.details))) return true;
  if (isInvalidArgumentError(error) && error.field === 'idempotencyKey') return true;
  const wasLookedAt = isClientError(error) && (error.status === 400 || error.status === 422);
  return !wasLookedAt && before !== undefined && before.mayStand;
};

const isAboutKey = (details: unknown): boolean => /idempoten/i.test(JSON.stringify(details) ?? '');

/** Later askers know more; what they leave out stays. */
const merge = (known: LogCallInput | undefined, input: LogCallInput): LogCallInput => {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...(known ?? input), ...Object.fromEntries(given) };
};

const difference = (before: TaskFields, after: TaskFields): TaskFields =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name as keyof TaskFields]));
