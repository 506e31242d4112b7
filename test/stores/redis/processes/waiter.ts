/** Started as a process of its own: a phone call that waits for the callback of a payment, and prints what came. */
import { Redis } from 'ioredis';
import { createRedisEventExchange } from '../../../../src/stores/redis/event-exchange.ts';
import { createEventWaits } from '../../../../src/webhooks/event-waits.ts';

const [url = ''] = process.argv.slice(2);
const [client, subscriber] = [new Redis(url), new Redis(url)];
const exchange = createRedisEventExchange({ client, subscriber });
const payments = createEventWaits<{ readonly status: string }>({ exchange });

const early = await payments.waitForEvent({ key: 'early', deadline: 60_000 });
const late = payments.waitForEvent({ key: 'late', deadline: 60_000 });
console.log('waiting');
console.log(JSON.stringify([early, await late]));
await exchange.close();
client.disconnect();
subscriber.disconnect();
