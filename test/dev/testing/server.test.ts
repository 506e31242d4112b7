import { describe } from 'vitest';
import { describeContract } from './contract-suite.ts';

describe('the fake platform on sockets', () => {
  describeContract((platform) => platform.listen());
});
