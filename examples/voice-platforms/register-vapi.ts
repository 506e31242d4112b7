// register-vapi.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { toolsOf } from './agent.ts';

const tools = vapi.tools(toolsOf({ callId: 'register' }), {
  url: 'https://agent.example.com',
  credentialId: fromEnv('VAPI_CREDENTIAL_ID')(),
});
const { status } = await fetch(`https://api.vapi.ai/assistant/${fromEnv('VAPI_ASSISTANT_ID')()}`, {
  method: 'PATCH',
  headers: { authorization: `Bearer ${fromEnv('VAPI_API_KEY')()}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: { provider: 'openai', model: 'gpt-4.1', tools } }), // replaces the whole model
});
console.log(status);
