// register-retell.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { retell } from 'voice-agent-integrations/tools/retell';
import { toolsOf } from './agent.ts';

const general_tools = retell.tools(toolsOf({ callId: 'register' }), { url: 'https://agent.example.com' });
const { status } = await fetch(`https://api.retellai.com/update-retell-llm/${fromEnv('RETELL_LLM_ID')()}`, {
  method: 'PATCH',
  headers: { authorization: `Bearer ${fromEnv('RETELL_API_KEY')()}`, 'content-type': 'application/json' },
  body: JSON.stringify({ general_tools }), // replaces all tools that it has
});
console.log(status);
