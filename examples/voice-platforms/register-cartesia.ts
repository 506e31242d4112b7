// register-cartesia.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { httpTools } from 'voice-agent-integrations/tools/http';
import { toolsOf } from './agent.ts';

const toolbox = toolsOf({ callId: 'register' });
const variable = (name: string) => ({ type: 'string', dynamic_variable: name });
for (const { name, description, parameters } of httpTools.tools(toolbox, { fieldsOnly: true })) {
  const { properties, required } = parameters;
  const tool = {
    type: 'webhook',
    name,
    description,
    pre_tool_speech: 'auto',
    execution_mode: 'immediate',
    response_timeout_secs: 15, // more than the tools' own deadline
    api_schema: {
      url: `https://agent.example.com?tool=${name}`,
      method: 'POST',
      authentication: { mode: 'bearer', token: { type: 'secret', secret_value: fromEnv('TOOLS_SECRET')() } },
      request_body_schema: {
        type: 'object',
        properties: {
          ...properties,
          x_call_id: variable('call_id'),
          x_caller: variable('system__caller_id'),
          x_called: variable('system__called_number'),
          x_direction: variable('system__call_direction'),
        },
        required,
      },
    },
  };
  const response = await fetch('https://api.cartesia.ai/v1/agents/tools', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fromEnv('CARTESIA_API_KEY')()}`,
      'cartesia-version': '2026-08-14',
      'content-type': 'application/json',
    },
    body: JSON.stringify(tool),
  });
  console.log(name, response.status, await response.json());
}
