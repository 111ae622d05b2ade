import { indexTraces } from '../src/model/otlp/traces-reader.ts';
import { encodeTable } from '../src/model/otlp/batch-table.ts';
import { otlp } from '../test/model/otlp/otlp.proto.ts';
let seed=1; const rnd=()=>{seed=(seed*1664525+1013904223)>>>0; return seed/2**32;};
const word=()=>['the','meeting','über','Alice','book','calendar','participants','—','30 minutes','{"a":1}'][Math.floor(rnd()*10)];
const text=(n:number)=>{let s='';while(s.length<n)s+=word()+' ';return s;};
const bytes=(n:number)=>Buffer.from(Array.from({length:n},()=>1+Math.floor(rnd()*254)));
const S=(key:string,v:string)=>({key,value:{stringValue:v}}), I=(key:string,v:number)=>({key,value:{intValue:v}});
const bodies: Buffer[]=[]; let spans=0;
for(let r=0;r<8;r++){ const list:any[]=[]; const n=100+Math.floor(rnd()*400);
 let trace=bytes(16);
 for(let i=0;i<n;i++){ if(i%9===0) trace=bytes(16); const kind=i%9===0?'agent':i%2?'chat':'tool';
  const attributes=[S('gen_ai.operation.name',kind==='agent'?'invoke_agent':kind==='chat'?'chat':'execute_tool'),S('gen_ai.conversation.id','conv-'+Math.floor(rnd()*60)),S('gen_ai.agent.name','scheduler'),S('gen_ai.provider.name','openai')];
  if(kind==='chat') attributes.push(S('gen_ai.request.model','gpt-5'),S('gen_ai.response.model','gpt-5-2026'),S('gen_ai.response.id','resp_'+i),I('gen_ai.usage.input_tokens',100+i) as any,I('gen_ai.usage.output_tokens',i) as any,{key:'gen_ai.response.finish_reasons',value:{arrayValue:{values:[{stringValue:'stop'}]}}} as any,{key:'gen_ai.request.temperature',value:{doubleValue:0.2}} as any,S('gen_ai.input.messages',text(1000+rnd()*3000)),S('gen_ai.output.messages',text(1000+rnd()*3000)),S('server.address','api.openai.com'),I('server.port',443) as any);
  if(kind==='tool') attributes.push(S('gen_ai.tool.name','book_meeting'),S('gen_ai.tool.call.id','call_'+i),S('gen_ai.tool.type','function'),S('gen_ai.tool.call.arguments',text(200+rnd()*600)),S('gen_ai.tool.call.result',text(200+rnd()*600)));
  list.push({traceId:trace,spanId:bytes(8),parentSpanId:i%9?bytes(8):undefined,flags:257,name:kind+' x',kind:1,startTimeUnixNano:{low:i,high:400000000},endTimeUnixNano:{low:i+5,high:400000000},attributes,status:{}}); }
 spans+=n;
 bodies.push(Buffer.from(otlp.TracesData.encode({resourceSpans:[{resource:{attributes:[S('service.name','x'),S('telemetry.sdk.language','nodejs')]},scopeSpans:[{scope:{name:'app',version:'1'},spans:list}]}]} as any).finish())); }
const total=bodies.reduce((a,b)=>a+b.length,0);
console.log(bodies.length,'bodies',total,'bytes',spans,'spans',(total/spans).toFixed(0),'B/span');
const KEYS=['gen_ai.operation.name','gen_ai.conversation.id','gen_ai.request.model','gen_ai.usage.input_tokens','gen_ai.usage.output_tokens','gen_ai.response.finish_reasons'];
let sink=0;
function ref(){ for(const b of bodies){ const m:any=otlp.TracesData.decode(b); for(const r of m.resourceSpans) for(const s of r.scopeSpans) for(const x of s.spans){ sink+=x.traceId.toString('hex').length+x.spanId.toString('hex').length+x.name.length; sink+=x.startTimeUnixNano.low&1; const map=new Map<string,any>(); for(const a of x.attributes) map.set(a.key,a.value); for(const k of KEYS){const v=map.get(k); if(v) sink++;} } } }
function ours(){ for(const b of bodies){ const ix=indexTraces(b); for(let i=0;i<ix.spanCount;i++){ const v=ix.view(i); sink+=v.traceId.length+v.spanId.length+v.name.length; sink+=v.startedAtMs&1; const at=v.attributes; for(const k of KEYS){ const x=at.get(k); if(x!==undefined) sink++; } } } }
function oursMsgs(){ for(const b of bodies){ const ix=indexTraces(b); for(let i=0;i<ix.spanCount;i++){ const v=ix.view(i); sink+=v.traceId.length+v.spanId.length+v.name.length; const at=v.attributes; for(const k of at.keys()){ const x=at.get(k); if(x!==undefined) sink++; } } } }
function views(){ for(const b of bodies){ const ix=indexTraces(b); for(let i=0;i<ix.spanCount;i++){ sink+=ix.view(i).flags; } } }
function oursIndex(){ for(const b of bodies){ sink+=indexTraces(b).spanCount; } }
function oursTable(){ for(const b of bodies){ sink+=encodeTable(indexTraces(b)).length; } }
function refBare(){ for(const b of bodies){ const m:any=otlp.TracesData.decode(b); sink+=m.resourceSpans.length; } }
const fs={refBare,ref,oursIndex,oursTable,views,ours,oursMsgs};
for(const f of Object.values(fs)) for(let i=0;i<10;i++) f();
const res:Record<string,number[]>={};
for(let round=0;round<9;round++) for(const [n,f] of Object.entries(fs)){ const s=process.cpuUsage(); let it=0; const t=performance.now(); while(performance.now()-t<150){f();it++;} const e=process.cpuUsage(s); (res[n]??=[]).push((e.user+e.system)/it/spans); }
for(const [n,v] of Object.entries(res)){ v.sort((a,b)=>a-b); console.log(n.padEnd(10),(v[4]!*1000).toFixed(0),'ns/span'); }
