// register-telnyx.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { telnyx } from 'voice-agent-integrations/tools/http';
import { toolsOf } from './agent.ts';

const tools = telnyx.tools(toolsOf({ callId: 'register' }), {
  url: 'https://agent.example.com',
  secretName: 'tools-token',
});
const { status } = await fetch(`https://api.telnyx.com/v2/ai/assistants/${fromEnv('TELNYX_ASSISTANT_ID')()}`, {
  method: 'POST',
  headers: { authorization: `Bearer ${fromEnv('TELNYX_API_KEY')()}`, 'content-type': 'application/json' },
  body: JSON.stringify({ tools }),
});
console.log(status);
