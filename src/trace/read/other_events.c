/* Events that no table is made of: they tell only that the location was alive at their time. */
#include "trace/read/other_events.h"

#include "trace/tables/builder.h"

/* Callbacks must take all arguments of their event, of which these want none. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ALIVE(event, ...)                                                                          \
    static OTF2_CallbackCode on_##event(OTF2_LocationRef self, OTF2_TimeStamp time,                \
                                        uint64_t position, void *data,                             \
                                        OTF2_AttributeList *attributes __VA_OPT__(, ) __VA_ARGS__) \
    {                                                                                              \
        fm_builder_time((struct fm_builder *)data, time);                                          \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }

ALIVE(MpiRequestTest, uint64_t requestID)
ALIVE(MpiCollectiveBegin)
ALIVE(OmpFork, uint32_t numberOfRequestedThreads)
ALIVE(OmpJoin)
ALIVE(ThreadFork, OTF2_Paradigm model, uint32_t numberOfRequestedThreads)
ALIVE(ThreadJoin, OTF2_Paradigm model)
ALIVE(ThreadTeamBegin, OTF2_CommRef threadTeam)
ALIVE(ThreadTeamEnd, OTF2_CommRef threadTeam)
ALIVE(ThreadAcquireLock, OTF2_Paradigm model, uint32_t lockID, uint32_t acquisitionOrder)
ALIVE(ThreadReleaseLock, OTF2_Paradigm model, uint32_t lockID, uint32_t acquisitionOrder)
ALIVE(ThreadTaskCreate, OTF2_CommRef threadTeam, uint32_t creatingThread, uint32_t generationNumber)
ALIVE(ThreadTaskSwitch, OTF2_CommRef threadTeam, uint32_t creatingThread, uint32_t generationNumber)
ALIVE(ThreadTaskComplete, OTF2_CommRef threadTeam, uint32_t creatingThread,
      uint32_t generationNumber)
ALIVE(ThreadCreate, OTF2_CommRef threadContingent, uint64_t sequenceCount)
ALIVE(ThreadBegin, OTF2_CommRef threadContingent, uint64_t sequenceCount)
ALIVE(ThreadWait, OTF2_CommRef threadContingent, uint64_t sequenceCount)
ALIVE(ThreadEnd, OTF2_CommRef threadContingent, uint64_t sequenceCount)
ALIVE(ParameterString, OTF2_ParameterRef parameter, OTF2_StringRef string)
ALIVE(ParameterInt, OTF2_ParameterRef parameter, int64_t value)
ALIVE(ParameterUnsignedInt, OTF2_ParameterRef parameter, uint64_t value)
ALIVE(RmaWinCreate, OTF2_RmaWinRef win)
ALIVE(RmaWinDestroy, OTF2_RmaWinRef win)
ALIVE(RmaCollectiveBegin)
ALIVE(RmaSync, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaSyncType syncType)
ALIVE(RmaWaitChange, OTF2_RmaWinRef win)
ALIVE(RmaTryLock, OTF2_RmaWinRef win, uint32_t remote, uint64_t lockId, OTF2_LockType lockType)
ALIVE(RmaOpTest, OTF2_RmaWinRef win, uint64_t matchingId)
ALIVE(CallingContextEnter, OTF2_CallingContextRef callingContext, uint32_t unwindDistance)
ALIVE(CallingContextLeave, OTF2_CallingContextRef callingContext)
ALIVE(CallingContextSample, OTF2_CallingContextRef callingContext, uint32_t unwindDistance,
      OTF2_InterruptGeneratorRef interruptGenerator)
ALIVE(CommDestroy, OTF2_CommRef communicator)

void fm_other_events_register(OTF2_EvtReaderCallbacks *callbacks)
{
#define REGISTER(event) OTF2_EvtReaderCallbacks_Set##event##Callback(callbacks, on_##event)
    REGISTER(MpiRequestTest);
    REGISTER(MpiCollectiveBegin);
    REGISTER(OmpFork);
    REGISTER(OmpJoin);
    REGISTER(ThreadFork);
    REGISTER(ThreadJoin);
    REGISTER(ThreadTeamBegin);
    REGISTER(ThreadTeamEnd);
    REGISTER(ThreadAcquireLock);
    REGISTER(ThreadReleaseLock);
    REGISTER(ThreadTaskCreate);
    REGISTER(ThreadTaskSwitch);
    REGISTER(ThreadTaskComplete);
    REGISTER(ThreadCreate);
    REGISTER(ThreadBegin);
    REGISTER(ThreadWait);
    REGISTER(ThreadEnd);
    REGISTER(ParameterString);
    REGISTER(ParameterInt);
    REGISTER(ParameterUnsignedInt);
    REGISTER(RmaWinCreate);
    REGISTER(RmaWinDestroy);
    REGISTER(RmaCollectiveBegin);
    REGISTER(RmaSync);
    REGISTER(RmaWaitChange);
    REGISTER(RmaTryLock);
    REGISTER(RmaOpTest);
    REGISTER(CallingContextEnter);
    REGISTER(CallingContextLeave);
    REGISTER(CallingContextSample);
    REGISTER(CommDestroy);
#undef REGISTER
}
