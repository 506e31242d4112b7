import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { handlers, mswBaseUrls } from '../../src/testing/msw.ts';
import { describeContract } from './contract-suite.ts';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

describe('the fake platform as msw handlers', () => {
  describeContract(async (platform) => {
    server.use(...handlers(platform));
    return mswBaseUrls;
  });
});
