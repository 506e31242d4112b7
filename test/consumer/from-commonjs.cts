import { deadlineIn, type Deadline } from 'voice-agent-integrations';

const deadline: Deadline = deadlineIn(5_000);
export const hasTime = deadline.remainingMs() > 0;
