/** The deployment that the settings ask for: one machine, or one of many instances. */
import type { Settings } from '../config/settings.ts';
import type { DataFolder } from './condition.ts';
import type { Deployment } from './deployment/deployment.ts';
import { OneMachine } from './one-machine/one-machine.ts';

export async function deploymentOf(settings: Settings, directory: DataFolder): Promise<Deployment> {
  const { kafka } = settings;
  if (kafka === undefined) return new OneMachine(settings, directory);
  // Loaded when it is needed: one machine should not wait for the libraries of many.
  const { Cluster } = await import('./cluster/cluster.ts');
  return new Cluster(settings, kafka);
}
