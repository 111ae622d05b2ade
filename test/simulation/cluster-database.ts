/** Reads the shared store independently of the code under test. */
import { Client } from 'pg';

export async function connectTo(database: string): Promise<Client> {
  const client = new Client({ connectionString: database, options: '-c search_path=assay' });
  await client.connect();
  return client;
}
