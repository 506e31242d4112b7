import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-console.ts';

describeBackend({ name: 'LiveKit Agents', start: startOffline, forged: [] });
