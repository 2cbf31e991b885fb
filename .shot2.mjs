import { chromium } from 'playwright-core';
const [,, port='9812', ...names]=process.argv;
const token='0123456789abcdef0123456789';
const base=`http://127.0.0.1:${port}/`;
const sizes={w:[1440,900],m:[1024,700],n:[360,740]};
const b=await chromium.launch({executablePath:'/usr/bin/chromium-headless-shell',args:['--no-sandbox']});
export const steps={};
const run=async(name,hash0,act,{size='w',theme='light'}={})=>{
  if(names.length&&!names.includes(name))return;
  const c=await b.newContext({viewport:{width:sizes[size][0],height:sizes[size][1]},colorScheme:theme,timezoneId:'Europe/Vienna'});
  const p=await c.newPage(); p.setDefaultTimeout(8000);
  p.on('pageerror',e=>console.log(name,'ERR',String(e).slice(0,300)));
  p.on('console',m=>{if(m.type()==='error')console.log(name,'console',m.text().slice(0,200))});
  try{
    const hash=hash0||'#endpoint=logs.all&p.project=local'; await p.goto(base+hash); await p.getByLabel('Token').fill(token); await p.getByRole('button',{name:'Connect'}).click();
    await p.locator('.top').waitFor();
    await p.waitForTimeout(1200);
    if(act) await act(p);
    await p.waitForTimeout(500);
  }catch(e){console.log(name,'FAIL',String(e).slice(0,300))}
  await p.screenshot({path:`/tmp/shots/${name}.png`}); await c.close();
};
await run('first','#endpoint=logs.all&p.project=larkspur');
await run('first-m','',null,{size:'m'});
await run('first-n','',null,{size:'n'});
await run('first-dark','',null,{theme:'dark'});
await run('record','',async p=>{await p.locator('.row').nth(3).click();});
await run('record-n','',async p=>{await p.locator('.row').nth(1).click();},{size:'n'});
await run('fields','',async p=>{await p.locator('.field-name').first().click(); await p.waitForTimeout(500);});
await run('sql','',async p=>{await p.getByRole('tab',{name:'SQL'}).click(); await p.waitForTimeout(400);});
await run('time','',async p=>{await p.getByTitle('Time',{exact:true}).click();});
await run('chart','#endpoint=logs.all&p.project=larkspur&sql='+encodeURIComponent('select timestamp_trunc(timestamp, hour) as hour, response.status_code, count(*) as n from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response group by 1, 2 order by 1'));
await run('empty','#endpoint=logs.all&p.project=larkspur&time=5m&lql='+encodeURIComponent('f:edge_logs nothing m.response.status_code:599'));
await run('error','#endpoint=logs.all&p.project=larkspur&sql='+encodeURIComponent('select event_mesage, cout(*) from edge_logs'));
await run('usage','#endpoint=usage.api-counts&p.project=larkspur');
await b.close();
