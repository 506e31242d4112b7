import { createIntegration, type IntegrationOptions } from '../../../integration.ts';
import { needsOf, toolsByJob } from '../../../tools/tools-by-job.ts';
import type { Target, TargetOptions } from './targets.ts';

/** The tools of a phone call over these clients, as JSON for one provider. Nothing is sent. */
export const definitionsFor = async (
  target: Target,
  { options, ...targetOptions }: TargetOptions & { readonly options: IntegrationOptions },
): Promise<{ readonly definitions: unknown; readonly leftOut: readonly LeftOut[] }> => {
  await using integration = createIntegration(withoutReading(options));
  const { tools } = integration.startPhoneCall({ callId: 'tools-print', direction: 'inbound' });
  const names = new Set(tools.tools().map(({ name }) => name));
  const leftOut = Object.values(toolsByJob)
    .flat()
    .flatMap((name) => (names.has(name) ? [] : [{ name, needs: needsOf(name) ?? '' }]));
  return { definitions: asJson(await target(tools, targetOptions)), leftOut };
};

/** A built-in tool that the phone call doesn't have, and the option or client that would bring it. */
interface LeftOut {
  readonly name: string;
  readonly needs: string;
}

const withoutReading = ({ phoneCalls, ...options }: IntegrationOptions): IntegrationOptions => ({
  ...options,
  phoneCalls: { ...phoneCalls, prefetch: [] },
});

/** Functions are left out; where a package wants a Standard Schema, its JSON Schema is written. */
const asJson = (definitions: unknown): unknown =>
  JSON.parse(JSON.stringify(definitions, (_name, value: unknown) => (isStandard(value) ? schemaOf(value) : value)));

interface Standard {
  readonly '~standard': { readonly jsonSchema: { readonly input: () => unknown } };
}

const isStandard = (value: unknown): value is Standard =>
  typeof value === 'object' && value !== null && '~standard' in value;

const schemaOf = (schema: Standard): unknown => schema['~standard'].jsonSchema.input();
