import {
  type FinishCallOptions,
  finishCall,
  type FinishedCall,
  type FinishInput,
  finishNames,
  loggedBesides,
} from './steps/finish-call.ts';
import { assertNotices } from './steps/describe-call.ts';
import type { StepOptions } from './steps/step.ts';
import { isDone, type StepReport } from './steps/step-report.ts';
import type { CallFacts } from './steps/task-fields.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertSpelled } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { Report } from '../tools/on-error.ts';
import { type FinishLater, publishCompleted, storeFinish } from './finish-later.ts';
import { createScope } from './scope.ts';
import { addRecorded, nextTeam, type PhoneCallState, stillDone, wordsGoToNote } from './steps/state.ts';
import type { PhoneCallClients, StepSettings } from './steps/ongoing-call.ts';

/** The admin who finishes a phone call, and the time for it. */
export interface FinishOptions extends StepOptions, Pick<FinishCallOptions, 'adminId'> {}

/** Runs a `finish`, with what has to happen before and after it. */
export type AroundFinish = (finish: () => Promise<FinishedCall>) => Promise<FinishedCall>;

export interface FinishParts {
  readonly clients: PhoneCallClients;
  readonly facts: CallFacts & { readonly startedAt: Date };
  readonly settings: StepSettings;
  readonly state: PhoneCallState;
  readonly finishLater: FinishLater | undefined;
  readonly tenant: string | undefined;
  readonly aroundFinish: AroundFinish | undefined;
  readonly report: Report;
}

/**
 * The end of a phone call. You can call it again: to try what failed, or with more to say. With `finishLater` you can
 * only repeat it: the worker writes what the first one stored.
 */
export const createFinish = ({
  clients,
  facts,
  settings,
  state,
  finishLater,
  tenant,
  aroundFinish = (finish) => finish(),
  report,
}: FinishParts): ((input?: FinishInput, options?: FinishOptions) => Promise<FinishedCall>) => {
  let inputSoFar: FinishInput = {};
  let inFlight: Promise<FinishedCall> | undefined;
  let isStored = false;

  const finishNow = async (finishOptions: FinishOptions): Promise<FinishedCall> => {
    const sinceStart = Math.max(0, (Date.now() - facts.startedAt.getTime()) / 1000);
    inputSoFar = { durationSeconds: sinceStart, ...inputSoFar };
    const { recorded } = state;
    const { phone, email, contactId } = state.caller;
    // A team that was said once has it until a later step hands it on.
    const teamId = inputSoFar.teamId && state.teams.at(-1);
    const teamOrdinal = nextTeam(state, teamId);
    const conversationId = wordsGoToNote(state);
    const wordsBefore = recorded.unclear?.words;
    const known = { phone, email, contactId, conversationId, wordsBefore };
    const whole = { ...known, ...state.related, ...state.notices, ...inputSoFar, ...facts, teamId, teamOrdinal };
    const input = { ...whole, done: stillDone(recorded, whole), mayBeDone: recorded.mayBeDone };
    if (finishLater) {
      const { timeZone, taskStatus, maximumTextLength, taskFields, adminId } = { ...settings, ...finishOptions };
      const how = { timeZone, taskStatus, maximumTextLength, taskFields, adminId };
      const known = { taskId: state.task.taskId, logged: loggedBesides(state.task, input), settings: how };
      // An engine of the application's own might write it twice.
      if (!isStored) await storeFinish(finishLater, { ...input, ...known }, tenant);
      isStored = true;
      await publishCompleted(finishLater, input);
      return { complete: false, queued: true, steps: [] };
    }
    const finished = await finishCall(clients, input, { ...settings, ...finishOptions, task: state.task });
    for (const step of finished.steps)
      if (step.status === 'failed') report(step.error, { part: 'finish', callId: facts.callId });
    // The Task is left to its claim, which sends what it does not say yet, and nothing that could make a second one.
    const isLeft = (report: StepReport) => report.step === 'task' || (isDone(report) && report.step === 'contact');
    state.recorded = addRecorded(
      state.recorded,
      whole,
      finished.steps.filter((report) => !isLeft(report)),
    );
    const holdsWords = whole.conversationId === undefined && wordsBefore === undefined;
    if (finished.conversationId !== undefined) state.conversation ??= { id: finished.conversationId, holdsWords };
    if (finished.related) state.related = finished.related;
    state.found = undefined;
    if (finished.contactId) state.caller = { ...state.caller, contactId: finished.contactId };
    return finished;
  };

  return async (input = {}, finishOptions = {}) => {
    assertSpelled(input, finishNames);
    assertNotices(input);
    const changedField = changedFieldIn(input, inputSoFar);
    if (inFlight && changedField === undefined) return inFlight;
    if (finishLater && (inFlight || isStored) && changedField !== undefined) throw isStoredAlready(changedField);
    inputSoFar = { ...inputSoFar, ...withoutUndefined(input) };
    nextTeam(state, input.teamId);
    const scope = createScope({})(finishOptions);
    const before = inFlight;
    const finished = aroundFinish(async () => {
      await Promise.allSettled([before]);
      return state.conversationQueue.run('messaging.conversations.create', () => finishNow(scope));
    });
    const forget = () => {
      if (inFlight === finished) inFlight = undefined;
    };
    finished.then(forget, forget);
    inFlight = finished;
    return finished;
  };
};

/** The first field that says something else than before. */
const changedFieldIn = (input: FinishInput, inputSoFar: FinishInput): string | undefined =>
  Object.entries(withoutUndefined(input))
    .map(([name, value]) => ({ name, value, before: inputSoFar[name as keyof FinishInput] }))
    .find(({ value, before }) => JSON.stringify(value) !== JSON.stringify(before))?.name;

const isStoredAlready = (field: string): InvalidArgumentError =>
  new InvalidArgumentError(field, 'differs from what the first finish stored for the worker: say everything in one', {
    operation: 'finish',
  });
