/**
 * The environment expressions are written against: which names and functions there are and of which type, so that a
 * mistyped name is found when the suite is loaded and not in production.
 */
import { Environment } from '@marcbachmann/cel-js';
import { registerFunctions } from './functions.ts';
import { VARIABLES } from './scope.ts';
import { AgentView, ErrorView, StepView, ToolCallView, TurnView, UsageView } from './views.ts';

/** Limit of nodes in an expression; a person's expression has dozens. */
const LIMITS = { maxAstNodes: 1000, maxDepth: 40, maxListElements: 200, maxMapEntries: 100, maxCallArguments: 12 };

const base = makeBase();

function makeBase(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  });
  environment
    .registerType('Error', { ctor: ErrorView, fields: { ...ErrorView.fields } })
    .registerType('Agent', { ctor: AgentView, fields: { ...AgentView.fields } })
    .registerType('Usage', { ctor: UsageView, fields: { ...UsageView.fields } })
    .registerType('Step', { ctor: StepView, fields: { ...StepView.fields } })
    .registerType('ToolCall', { ctor: ToolCallView, fields: { ...ToolCallView.fields } })
    .registerType('Turn', { ctor: TurnView, fields: { ...TurnView.fields } });
  for (const [name, [type, description]] of Object.entries(VARIABLES)) {
    environment.registerVariable(name, { type, description });
  }
  registerFunctions(environment);
  return environment;
}

/** Environment of checks: the variables, functions, and the extracts as they are added. */
export function checkEnvironment(): Environment {
  return base.clone();
}

/** Environment of outcome rules: that of checks, the score, and the verdict of each criterion by its name. */
export function outcomeEnvironment(checks: Environment, criteria: readonly string[]): Environment {
  const environment = checks.clone();
  environment
    .registerType('Criteria', { fields: Object.fromEntries(criteria.map((name) => [name, 'string'])) })
    .registerVariable('score', 'double')
    .registerVariable('completed', 'bool')
    .registerVariable('failed', 'bool')
    .registerVariable('criteria', 'Criteria');
  return environment;
}

/** All names an expression could have meant. */
export function variablesOf(environment: Environment): readonly string[] {
  return environment
    .getDefinitions()
    .variables.filter(({ name, type }) => type !== 'type' && !type.endsWith('Namespace') && name !== 'google')
    .map(({ name }) => name);
}

export function functionsOf(environment: Environment): readonly string[] {
  return [...new Set(environment.getDefinitions().functions.map(({ name }) => name))];
}
