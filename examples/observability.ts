/** The log and the metrics of an API that has a bad minute: `npm run example observability`. */
import { createIntegration, createMetrics, logTo } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { toPrometheus } from 'voice-agent-integrations/observability/prometheus';
import { createFakePlatform, testCredentials } from 'voice-agent-integrations/testing';

await using platform = createFakePlatform();
const { billing: baseUrl } = await platform.listen();
platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone: '+14155550100' });

// Like pino, or your own logger.
const say = (level: string) => (fields: object, message: string) =>
  console.log(`  ${level.padEnd(5)} ${message} ${'callId' in fields ? `(${fields.callId})` : ''}`);
const logger = { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') };

const metrics = createMetrics();

await using integration = createIntegration({
  billing: {
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
    version: { path: 'v1' },
    attempts: 1,
  },
  payments: { below: 5000 },
  onEvent: [logTo(logger), metrics.onEvent],
});
const { customers } = integration.billing;

console.log('The log of a good minute, and of a bad one:');
// Personal data in an id is masked.
for (const callId of ['CA1', 'CA2', 'CA3', 'CA4', 'call of +14155550100']) await customers.get('cus_1', { callId });
platform.fault('billing.customers.get', [{ status: 503, times: 2 }, { status: 404 }]);
for (const callId of ['CA6', 'CA7', 'CA8']) await customers.get('cus_1', { callId }).catch(() => {});

const snapshot = await metrics.snapshot();
for (const { labels, count, successRate, errors } of snapshot.endpoints)
  console.log(
    `\n${labels['operation']}: ${count} calls, success rate ${successRate}, errors ${JSON.stringify(errors)}`,
  );
console.log('\nWhat Prometheus reads:');
const lines = toPrometheus(snapshot).split('\n');
console.log(
  lines
    .filter((line) => /^voice_agent_call(s|_errors)_total/.test(line))
    .map((line) => `  ${line}`)
    .join('\n'),
);
