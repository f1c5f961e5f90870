//! Databases, and what clients have in them: outboxes, and the tables of their listeners.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{ClusterError, DatabaseSpec, ListenerSpec, NodeActor, OutboxSpec, ProducerSpec, SenderKind, cluster::fail},
    Builder, Subnet,
};
use crate::{
    client::{Keeps, Listener, Outbox, consumer::record_table, outbox_table, transaction_table},
    database::{Database, PORT, TableSpec},
};

impl Builder<'_> {
    /// Where the databases will listen: producers come before them.
    pub(super) fn find_databases(&mut self) -> Result<(), ClusterError> {
        let mut addrs = BTreeMap::new();
        for (place, spec) in self.cluster.databases.iter().enumerate() {
            let ip = Self::ip(Subnet::Database, place, &spec.name)?;
            addrs.insert(spec.name.clone(), format!("{ip}:{PORT}"));
        }
        self.databases = Arc::new(addrs);
        Ok(())
    }

    pub(super) fn database(&mut self, place: usize, spec: &DatabaseSpec) -> Result<(), ClusterError> {
        let name = &spec.name;
        let ip = Self::ip(Subnet::Database, place, name)?;
        self.listen(name, &format!("{ip}:{PORT}"))?;
        let mut tables = spec.tables.clone();
        let mut polled = Vec::new();
        let outboxes = self.cluster.producers.iter().filter_map(|producer| producer.outbox.as_ref());
        for outbox in outboxes.filter(|outbox| outbox.database == *name) {
            with_table(&mut tables, outbox_table(&outbox.table)).map_err(|cause| fail(name, cause))?;
            polled.push(outbox.table.clone());
        }
        let listeners = self.cluster.producers.iter().filter_map(|producer| producer.listener.as_ref());
        for listener in listeners.filter(|listener| listener.database.as_deref() == Some(name)) {
            if listener.keeps == Keeps::Database {
                with_table(&mut tables, transaction_table(&listener.table)).map_err(|cause| fail(name, cause))?;
            }
        }
        let pushes = self.cluster.consumers.iter().filter_map(|consumer| consumer.push.as_ref());
        let businesses = pushes.filter_map(|push| push.listener.business.as_ref());
        for (_, table) in businesses.filter_map(|business| business.record_place()).filter(|(of, _)| of == name) {
            with_table(&mut tables, record_table(table)).map_err(|cause| fail(name, cause))?;
        }
        let database = Database::new(&tables, polled).map_err(|cause| fail(name, cause))?;
        self.add(name, ip, spec.skew_ms, NodeActor::Database(Arc::new(database)))
    }

    pub(super) fn outbox(&self, producer: &ProducerSpec, spec: &OutboxSpec) -> Result<Outbox, ClusterError> {
        let place = format!("{}.outbox", producer.name);
        if producer.sender == SenderKind::Bare {
            return Err(fail(&place, "a bare sender has no relay"));
        }
        let addr = self.databases.get(&spec.database).cloned();
        let addr = addr.ok_or_else(|| fail(&place, format!("there is no database `{}`", spec.database)))?;
        let OutboxSpec { database, table, period_ms, batch } = spec.clone();
        Ok(Outbox { database, addr, table, period_ms, batch })
    }

    pub(super) fn listener(&self, producer: &ProducerSpec, spec: &ListenerSpec) -> Result<Listener, ClusterError> {
        let place = format!("{}.listener", producer.name);
        if producer.sender == SenderKind::Bare {
            return Err(fail(&place, "a bare sender has no listener"));
        }
        let addr = |database: &String| {
            let addr = self.databases.get(database).cloned();
            addr.ok_or_else(|| fail(&place, format!("there is no database `{database}`")))
        };
        let database = spec.database.as_ref().map(addr).transpose()?;
        if spec.keeps == Keeps::Database && database.is_none() {
            return Err(fail(&place, "it needs a `database` to keep its transactions in"));
        }
        let ListenerSpec { keeps, table, not_found, .. } = spec.clone();
        Ok(Listener { keeps, database, table, not_found })
    }
}

/// Adds a table that is needed, unless one of its name is described: that one needs its columns.
fn with_table(tables: &mut Vec<TableSpec>, needed: TableSpec) -> Result<(), String> {
    let Some(known) = tables.iter().find(|table| table.name == needed.name) else {
        tables.push(needed);
        return Ok(());
    };
    match needed.columns.iter().find(|column| !known.columns.contains(column)) {
        None => Ok(()),
        Some(column) => Err(format!("table `{}` needs a column `{column}`", needed.name)),
    }
}
