import { readFileSync } from 'node:fs';
import type { Fault, OperationName } from '../../testing/index.ts';
import * as z from 'zod';
import { wrongUsage } from '../command-error.ts';

const fields = z.record(z.string(), z.unknown());

/** The caller's wishes as steps; ids may be named by what an earlier step found. */
const step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('identify the caller'), email: z.string().optional() }),
  z.strictObject({ do: z.literal('read the caller context') }),
  z.strictObject({ do: z.literal('look up open invoices') }),
  z.strictObject({ do: z.literal('take a payment'), invoice: z.string(), paymentMethodId: z.string() }),
  z.strictObject({
    do: z.literal('the model calls a tool'),
    tool: z.string(),
    args: fields,
    /** `asked`: nothing is done yet, and the answer is a question. `given`: the caller has agreed to it. */
    yes: z.enum(['asked', 'given']).optional(),
  }),
  z.strictObject({ do: z.literal('qualify the lead'), lead: fields }),
  z.strictObject({ do: z.literal('open a case'), subject: z.string(), description: z.string().optional() }),
]);

const recordedCall = z.strictObject({
  title: z.string(),
  callId: z.string(),
  direction: z.enum(['Inbound', 'Outbound', 'Internal']),
  phone: z.string(),
  startedAt: z.iso.datetime(),
  timeZone: z.string(),
  /** The card on file, supplied by the application; without it the model gets the ids and sends them. */
  boundPaymentMethodId: z.string().optional(),
  /** The records of the three systems before the phone rings; only the fake platform can be filled. */
  before: z.strictObject({
    contacts: z.array(fields).default([]),
    companies: z.array(fields).default([]),
    teams: z.array(fields).default([]),
    tags: z.array(fields).default([]),
    leads: z.array(fields).default([]),
    crmContacts: z.array(fields).default([]),
    customers: z.array(fields).default([]),
    invoices: z.array(z.looseObject({ customer_id: z.string(), amount: z.number() })).default([]),
  }),
  /** The faults of the three systems, by operation. */
  faults: z.record(z.string(), z.array(z.unknown())).transform((faults) => faults as Record<OperationName, Fault[]>),
  turns: z.array(z.strictObject({ caller: z.string(), steps: z.array(step), agent: z.string() })),
  finish: z.strictObject({
    outcome: z.string(),
    summary: z.string(),
    transcriptUrl: z.string().optional(),
    durationSeconds: z.number(),
    note: z.string(),
    tagIds: z.array(z.string()).default([]),
    teamId: z.string().optional(),
    escalated: z.boolean().optional(),
  }),
  /** The records that the three systems must have afterwards. */
  expect: z.strictObject({
    payments: z.array(z.strictObject({ invoice: z.string(), amount: z.number() })).default([]),
    contacts: z.int(),
    leads: z.int(),
    cases: z.int().default(0),
    lead: fields.optional(),
    task: fields,
    tags: z.array(z.string()).default([]),
    team: z.string().optional(),
  }),
});

/** One phone call as a file of `calls` holds it. */
export type RecordedCall = z.infer<typeof recordedCall>;
export type RecordedStep = RecordedCall['turns'][number]['steps'][number];

/** Reads a recorded call from a file. Throws `CommandError` when it's missing or isn't one. */
export const readRecordedCall = (path: string, file: string): RecordedCall =>
  parseRecordedCall(file, parse(file, readText(path, file)));

/** Throws `CommandError` for what is no recorded call. */
export const parseRecordedCall = (name: string, json: unknown): RecordedCall => {
  const result = recordedCall.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw wrongUsage(`${name} is not a recorded call: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
};

const readText = (path: string, file: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw wrongUsage(`${file} ${isMissing ? 'does not exist' : 'cannot be read'}`);
  }
};

const parse = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongUsage(`${file} is not JSON`);
  }
};
