import { describe, expect, test } from 'vitest';
import { oauthClientCredentials } from '../../../src/auth/index.ts';
import { platformEventDestination, platformEvents } from '../../../src/crm/salesforce/index.ts';
import { salesforceFaults, testConnectedApp } from '../../../src/dev/testing/index.ts';
import { failureOf } from '../../support/connect.ts';
import { connectSalesforce } from '../../support/connected-salesforce.ts';
import { callCompleted, openOutbox } from '../../support/open-outbox.ts';
import { until } from '../../support/until.ts';

const fields = { Call_Id__c: 'CA1', Outcome__c: 'resolved' };

describe('a platform event', () => {
  test('is published, and has the id that its subscribers see', async () => {
    await using org = await connectSalesforce();

    expect(await platformEvents(org.crm).publish('Voice_Call__e', fields)).toEqual({
      id: expect.any(String),
      eventUuid: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(org.platform.salesforce.platformEvents).toEqual([{ event: 'Voice_Call__e', fields }]);
  });

  test('is not published twice by itself', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.platformEvents.publish', [{ executeThenDrop: true }]);

    expect(await failureOf(platformEvents(org.crm).publish('Voice_Call__e', fields))).toMatchObject({
      attempts: 1,
      outcome: 'unknown',
    });
    expect(org.platform.salesforce.platformEvents).toHaveLength(1);
  });

  test.each([
    [{ id: 'e00', success: false, errors: [{ statusCode: 'LIMIT_EXCEEDED', message: 'too many' }] }, 'client_error'],
    [{ id: 'e00', success: false, errors: [] }, 'client_error'],
    [{ success: false }, 'client_error'],
    [{ id: 'e00' }, 'unexpected_response'],
    [{ id: 'e00', success: 'yes' }, 'unexpected_response'],
    [{ success: true }, 'unexpected_response'],
    [[], 'unexpected_response'],
  ])('that the org did not take is an error: %j', async (body, code) => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.platformEvents.publish', [{ status: 201, body }]);

    expect(await failureOf(platformEvents(org.crm).publish('Voice_Call__e', fields))).toMatchObject({ code });
  });

  test.each(['Lead', '../Lead__e', 'a b__e', ''])('is no other object: %j', async (event) => {
    await using org = await connectSalesforce();
    // A caller in JavaScript may give anything.
    const error = await failureOf(platformEvents(org.crm).publish(event as `${string}__e`, fields));

    expect(error.message).toBe('event must be the name of a platform event (…__e)');
    expect(org.platform.requests).toEqual([]);
  });
});

describe('an outbox that publishes platform events', () => {
  const connect = async () => {
    const org = await connectSalesforce();
    const authenticate = oauthClientCredentials({
      tokenEndpoint: `${org.baseUrl}/services/oauth2/token`,
      clientId: () => testConnectedApp.clientId,
      clientSecret: () => testConnectedApp.clientSecret ?? '',
    });
    const under = openOutbox({
      destinations: [
        platformEventDestination({
          name: 'salesforce',
          instanceUrl: `${org.baseUrl}/`,
          authenticate,
          event: 'Voice_Call__e',
          fields: ({ id, payload }) => ({ Delivery_Id__c: id, Payload__c: JSON.stringify(payload) }),
        }),
      ],
    });
    const { platform } = org;
    /** Ends when so many requests for platform events were answered and the outbox has noted it. */
    const attempted = (count: number) =>
      until(() => under.events.filter(({ type }) => type === 'delivery').length === count);
    return {
      platform,
      ...under,
      attempted,
      [Symbol.asyncDispose]: () => under[Symbol.asyncDispose]().then(() => platform.close()),
    };
  };
  const publication = { event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'CA1:completed' };

  test('starts a flow from a phone call', async () => {
    await using connected = await connect();
    const { outbox, platform, attempted } = connected;

    await outbox.publish(publication);
    await attempted(1);

    expect(platform.salesforce.platformEvents).toEqual([
      { event: 'Voice_Call__e', fields: { Delivery_Id__c: 'CA1:completed', Payload__c: '{"callId":"CA1"}' } },
    ]);
  });

  test('has a new session after the old one ended, and waits while the org’s requests are used up', async () => {
    await using connected = await connect();
    const { outbox, platform, clock, events, attempted } = connected;
    await outbox.publish(publication);
    await attempted(1);
    platform.salesforce.endSessions();
    platform.fault('crm.platformEvents.publish', ['ok', salesforceFaults.dailyLimit]);

    await outbox.publish({ ...publication, idempotencyKey: 'CA2:completed' });
    await attempted(2);
    await clock.advance(1_500);
    await attempted(3);
    await clock.advance(899_000);
    expect(platform.salesforce.platformEvents).toHaveLength(1);
    await clock.advance(2_000);
    await attempted(4);

    expect(platform.salesforce.platformEvents).toHaveLength(2);
    expect(
      events.flatMap((event) => (event.type === 'delivery' ? [[event.outcome, event.reason, event.status]] : [])),
    ).toEqual([
      ['delivered', undefined, 201],
      ['retry', 'unauthorized', 401],
      ['retry', 'rate_limited', 403],
      ['delivered', undefined, 201],
    ]);
  });
});
